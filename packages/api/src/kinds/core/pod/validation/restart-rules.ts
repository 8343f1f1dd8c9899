import type { Container } from "../spec/container.ts";
import type { Faults } from "../../../../validation/faults.ts";

/**
 * A longer list would be hard to read, and each exit would have to be matched against the whole
 * list.
 */
const rulesMax = 20;

/** Exit codes fit into a byte. */
const exitCodesMax = 255;

const policies = ["Always", "OnFailure", "Never"];

/** A container's rules may restart it by its exit code, even against the pod's restart policy. */
export function validateRestartRules(container: Container, { path }: { path: string }, faults: Faults): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy !== undefined && !policies.includes(restartPolicy)) {
    faults.notSupported(`${path}.restartPolicy`, restartPolicy, policies);
  }
  if (rules.length === 0) return;
  const field = `${path}.restartPolicyRules`;
  if (restartPolicy === undefined) {
    faults.required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used");
  }
  if (rules.length > rulesMax) faults.tooMany(field, rules.length, rulesMax);
  for (const [index, { action, exitCodes }] of rules.entries()) {
    const at = `${field}[${index}]`;
    faults.oneOf(`${at}.action`, action, ["Restart", "RestartAllContainers"]);
    if (exitCodes === undefined) {
      faults.required(`${at}.exitCodes`, "must be specified");
      continue;
    }
    faults.oneOf(`${at}.exitCodes.operator`, exitCodes.operator, ["In", "NotIn"]);
    const { values = [] } = exitCodes;
    if (values.length === 0) faults.invalid(`${at}.exitCodes.values`, values, "must have at least one value");
    if (values.length > exitCodesMax) faults.tooMany(`${at}.exitCodes.values`, values.length, exitCodesMax);
    for (const [place, value] of values.entries()) {
      if (values.indexOf(value) !== place) faults.duplicate(`${at}.exitCodes.values[${place}]`, value);
    }
  }
}
