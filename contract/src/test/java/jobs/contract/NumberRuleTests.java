package jobs.contract;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NumberRuleTests {

	private final Random random = new Random(37);

	@Test
	void dividesAsDecimalsDo() {
		int multiples = 0;
		for (int i = 0; i < 20_000; i++) {
			BigDecimal step = decimal(12).abs().max(new BigDecimal("1e-9"));
			BigDecimal value = this.random.nextBoolean() ? decimal(40) : decimal(40).multiply(step);
			boolean isMultiple = value.remainder(step).signum() == 0;
			multiples += isMultiple ? 1 : 0;

			assertThat(new NumberRule(null, null, List.of(step), null).accepts(value)).as("%s by %s", value, step)
				.isEqualTo(isMultiple);
		}

		assertThat(multiples).isBetween(1000, 19_000);
	}

	private BigDecimal decimal(int bits) {
		BigInteger digits = new BigInteger(1 + this.random.nextInt(bits), this.random);
		return new BigDecimal(this.random.nextBoolean() ? digits : digits.negate(), this.random.nextInt(61) - 30);
	}

}
