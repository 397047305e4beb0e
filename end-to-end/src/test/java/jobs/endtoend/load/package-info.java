/**
 * Who works with the pair while faults strike: clients, strange producers, an operator.
 */
package jobs.endtoend.load;
