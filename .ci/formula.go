// Evaluates the formula of deploy/components/keda as KEDA 2.21 does: expr-lang/expr, with a float for each trigger.
package main

import (
	"fmt"
	"math"
	"os"
	"regexp"

	"github.com/expr-lang/expr"
)

// the triggers, and how many pods there should be before the bounds
var cases = []struct{ backOff, lag, pods, wanted float64 }{
	{0, 0, 2, 0},
	{0, 100_001, 2, 2},
	{0, 250_000, 2, 3},
	{0.2, 0, 2, 2},
	{0.2, 250_000, 2, 3},
	{30, 0, 5, 5},
	{30, 250_000, 5, 5},
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	must(err)
	formula := string(regexp.MustCompile(`formula: "([^"]+)"`).FindSubmatch(file)[1])
	program, err := expr.Compile(formula, expr.Env(map[string]float64{"back_off": 0, "lag": 0, "pods": 0}))
	must(err)
	for _, one := range cases {
		value, err := expr.Run(program, map[string]float64{"back_off": one.backOff, "lag": one.lag, "pods": one.pods})
		must(err)
		// KEDA takes nothing but a float
		if pods, isFloat := value.(float64); !isFloat || math.Ceil(pods) != one.wanted {
			must(fmt.Errorf("%s: %v (%T) for %+v", formula, value, value, one))
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
