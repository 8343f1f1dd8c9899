import { formatAge } from "../../../table/cells.ts";
import { ageColumn, integerColumn, nameColumn } from "../../../table/columns.ts";
import { sameJsonExcept } from "../../../values/json.ts";
import { checkQualifiedName } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateDriverName } from "../../core/persistent-volume/source-validation.ts";
import { defineKind } from "../../define-kind.ts";
import { csiNodes } from "./csi-node-type.ts";
import { CSINode, type CSINodeDriver } from "./csi-node.ts";

export const csiNodeKind = defineKind<CSINode>({
  type: csiNodes,
  schema: CSINode,
  validation: { validate: validateCsiNode, update: validateUpdate },
  table: {
    columns: [nameColumn, integerColumn("Drivers", "Number of CSI drivers on the node."), ageColumn],
    cells: (node, nowMs) => [node.metadata.name ?? "", node.spec.drivers.length, formatAge(node, nowMs)],
  },
});

const nodeIdLengthMax = 192;

function validateCsiNode({ spec }: CSINode, faults: Faults): void {
  const names = new Set<string>();
  for (const [index, driver] of spec.drivers.entries()) {
    const path = `spec.drivers[${index}]`;
    validateDriver(driver, path, faults);
    if (names.has(driver.name)) faults.duplicate(`${path}.name`, driver.name);
    names.add(driver.name);
  }
}

function validateDriver(driver: CSINodeDriver, path: string, faults: Faults): void {
  const { name, nodeID, topologyKeys = [], allocatable } = driver;
  validateDriverName(name, `${path}.name`, faults);
  if (nodeID === "") faults.required(`${path}.nodeID`);
  if (nodeID.length > nodeIdLengthMax) {
    faults.invalid(`${path}.nodeID`, nodeID, `must be ${nodeIdLengthMax} characters or less`);
  }
  faults.notNegative(`${path}.allocatable.count`, allocatable?.count);
  for (const [index, key] of topologyKeys.entries()) {
    if (key === "") faults.required(path);
    if (topologyKeys.indexOf(key) < index) faults.duplicate(path, key);
    faults.invalidEach(path, key, checkQualifiedName(key));
  }
}

/**
 * A driver may change only its number of volumes (`allocatable`); for other changes it has to
 * register again.
 */
function validateUpdate(after: CSINode, before: CSINode, faults: Faults): void {
  for (const driver of after.spec.drivers) {
    const old = before.spec.drivers.find(({ name }) => name === driver.name);
    if (old === undefined) continue;
    faults.immutable("spec.drivers", driver, sameJsonExcept(driver, old, "allocatable"));
  }
}
