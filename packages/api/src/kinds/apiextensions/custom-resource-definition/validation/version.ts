import type { Faults } from "../../../../validation/faults.ts";
import type { CustomResourceDefinitionVersion } from "../custom-resource-definition.ts";

export function validateVersion(version: CustomResourceDefinitionVersion, path: string, faults: Faults): void {
  if (version.schema?.openAPIV3Schema === undefined) {
    faults.required(`${path}.schema.openAPIV3Schema`, "schemas are required");
    if ((version.selectableFields ?? []).length > 0) {
      const why = "selectableFields may only be set when version.schema.openAPIV3Schema is not included";
      faults.invalid(`${path}.selectableFields`, "", why);
    }
  }
  for (const problem of deprecationProblems(version)) {
    faults.invalid(`${path}.deprecationWarning`, version.deprecationWarning, problem);
  }
  validateScale(version, `${path}.subresources.scale`, faults);
  for (const [index, column] of (version.additionalPrinterColumns ?? []).entries()) {
    validateColumn(column, `${path}.additionalPrinterColumns[${index}]`, faults);
  }
}

const warningLengthMax = 256;

function deprecationProblems({ deprecated, deprecationWarning }: CustomResourceDefinitionVersion): string[] {
  if (deprecationWarning === undefined) return [];
  if (deprecated !== true) return ["can only be set for deprecated versions"];
  if (deprecationWarning === "") return ["must not be an empty string"];
  const problems = deprecationWarning.length > warningLengthMax ? ["must be <= 256 characters long"] : [];
  const at = deprecationWarning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at < 0) return problems;
  return [...problems, `must only contain printable UTF-8 characters; non-printable character found at index ${at}`];
}

function validateScale({ subresources }: CustomResourceDefinitionVersion, path: string, faults: Faults): void {
  const scale = subresources?.scale;
  if (scale === undefined) return;
  const fields = [
    ["specReplicasPath", scale.specReplicasPath, [".spec."], "should be a json path under .spec"],
    ["statusReplicasPath", scale.statusReplicasPath, [".status."], "should be a json path under .status"],
  ] as const;
  for (const [name, value, prefixes, why] of fields) {
    if (value === "") faults.required(`${path}.${name}`);
    else validatePath(value, { path: `${path}.${name}`, prefixes, why }, faults);
  }
  const { labelSelectorPath = "" } = scale;
  if (labelSelectorPath === "") return;
  const rules = { prefixes: [".spec.", ".status."], why: "should be a json path under either .spec or .status" };
  validatePath(labelSelectorPath, { path: `${path}.labelSelectorPath`, ...rules }, faults);
}

function validatePath(
  value: string,
  { path, prefixes, why }: { path: string; prefixes: readonly string[]; why: string },
  faults: Faults,
): void {
  if (!value.startsWith(".")) faults.invalid(path, value, "must be a simple json path starting with .");
  else if (!prefixes.some((prefix) => value.startsWith(prefix))) faults.invalid(path, value, why);
  else if (!/^(\.[\w-]+)+$/.test(value)) faults.invalid(path, value, "must be a json path in the dot notation");
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

type Column = NonNullable<CustomResourceDefinitionVersion["additionalPrinterColumns"]>[number];

function validateColumn({ name, type, format = "", jsonPath }: Column, path: string, faults: Faults): void {
  if (name === "") faults.required(`${path}.name`);
  const ofType = `must be one of ${columnTypes.join(",")}`;
  if (type === "") faults.required(`${path}.type`, ofType);
  else if (!columnTypes.includes(type)) faults.invalid(`${path}.type`, type, ofType);
  if (format !== "" && !columnFormats.includes(format)) {
    faults.invalid(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`);
  }
  if (jsonPath === "") faults.required(`${path}.JSONPath`);
  else if (!jsonPath.startsWith(".")) {
    faults.invalid(`${path}.JSONPath`, jsonPath, "must be a simple json path starting with .");
  }
}
