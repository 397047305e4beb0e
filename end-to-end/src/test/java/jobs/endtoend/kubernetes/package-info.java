/**
 * The manifests in {@code deploy/}, and a kubelet that does what they say.
 */
package jobs.endtoend.kubernetes;
