import { validateDriverName } from "../../core/persistent-volume/source-validation.ts";
import { checkLabel1123, checkLabelValue, checkSubdomain1123 } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { utf8Length, validateLabelKey } from "../../../validation/labels.ts";
import type {
  DeviceClaim,
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  OpaqueDeviceConfiguration,
  ResourceClaimSpec,
} from "./requested-devices.ts";
import { validateEach, validateFullyQualifiedName, validateRawSize } from "./resource-names.ts";

// The rules and messages follow pkg/apis/resource/validation.

/** Maximum number of requests, of constraints, of configurations and of selectors. */
const entriesMax = 32;
const subrequestsMax = 8;
const expressionLengthMax = 10 * 1024;

/** The names of a claim's requests, with the names of their subrequests. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNamesOf({ requests = [] }: DeviceClaim): RequestNames {
  return new Map(
    requests.map(({ name, firstAvailable = [] }) => [name, new Set(firstAvailable.map((one) => one.name))]),
  );
}

export function validateClaimSpec({ devices = {} }: ResourceClaimSpec, path: string, faults: Faults): void {
  const at = `${path}.devices`;
  const names = requestNamesOf(devices);
  validateEach(
    { items: devices.requests, path: `${at}.requests`, max: entriesMax, keyOf: ({ name }) => name },
    faults,
    (request, each) => validateRequest(request, each, faults),
  );
  validateEach({ items: devices.constraints, path: `${at}.constraints`, max: entriesMax }, faults, (one, each) => {
    validateRequestReferences(one.requests, { names, path: `${each}.requests` }, faults);
    const { matchAttribute, distinctAttribute } = one;
    if (matchAttribute !== undefined) validateFullyQualifiedName(matchAttribute, `${each}.matchAttribute`, faults);
    else if (distinctAttribute !== undefined) {
      validateFullyQualifiedName(distinctAttribute, `${each}.distinctAttribute`, faults);
    } else faults.required(each, 'exactly one of "matchAttribute" or "distinctAttribute" is required');
  });
  validateEach({ items: devices.config, path: `${at}.config`, max: entriesMax }, faults, (one, each) => {
    validateRequestReferences(one.requests, { names, path: `${each}.requests` }, faults);
    validateConfiguration(one.opaque, each, faults);
  });
}

function validateRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, path: string, faults: Faults): void {
  faults.invalidEach(`${path}.name`, name, checkLabel1123(name));
  if (exactly !== undefined && firstAvailable.length > 0) {
    const detail = "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
    return faults.invalidWhole(path, detail);
  }
  if (exactly !== undefined) return validateWanted(exactly, `${path}.exactly`, faults);
  if (firstAvailable.length === 0) {
    return faults.required(path, "exactly one of `exactly` or `firstAvailable` is required");
  }
  const list = { items: firstAvailable, path: `${path}.firstAvailable`, max: subrequestsMax };
  validateEach({ ...list, keyOf: (one) => one.name }, faults, (subrequest, each) => {
    faults.invalidEach(`${each}.name`, subrequest.name, checkLabel1123(subrequest.name));
    validateWanted(subrequest, each, faults);
  });
}

type Wanted = Omit<NonNullable<DeviceRequest["exactly"]>, "adminAccess">;

function validateWanted(wanted: Wanted, path: string, faults: Faults): void {
  const { deviceClassName, allocationMode = "", count = 0, selectors, tolerations = [] } = wanted;
  const at = `${path}.deviceClassName`;
  if (deviceClassName === "") faults.required(at);
  else faults.invalidEach(at, deviceClassName, checkSubdomain1123(deviceClassName));
  validateSelectors(selectors, `${path}.selectors`, faults);
  if (allocationMode === "All") {
    if (count !== 0) faults.invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'");
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) faults.invalid(`${path}.count`, count, "must be greater than zero");
  } else faults.notSupported(`${path}.allocationMode`, allocationMode, ["All", "ExactCount"]);
  validateDeviceTolerations(tolerations, `${path}.tolerations`, faults);
}

export function validateSelectors(
  selectors: readonly DeviceSelector[] | undefined,
  path: string,
  faults: Faults,
): void {
  validateEach({ items: selectors, path, max: entriesMax }, faults, ({ cel }, each) => {
    if (cel === undefined) faults.required(`${each}.cel`);
    else if (utf8Length(cel.expression) > expressionLengthMax) {
      faults.tooLong(`${each}.cel.expression`, expressionLengthMax);
    }
  });
}

/** Allocations contain copies of tolerations, to which these rules apply as well. */
export function validateDeviceTolerations(all: readonly DeviceToleration[], path: string, faults: Faults): void {
  validateEach({ items: all, path, max: 16 }, faults, ({ key = "", operator, value = "", effect = "" }, each) => {
    if (key !== "") validateLabelKey(key, `${each}.key`, faults);
    if (operator === "Exists") {
      if (value !== "") faults.invalid(`${each}.value`, value, "must be empty for operator `Exists`");
    } else if (operator === "Equal") faults.invalidEach(`${each}.value`, value, checkLabelValue(value));
    else faults.oneOf(`${each}.operator`, operator, ["Equal", "Exists"]);
    if (effect !== "" && !deviceTaintEffects.includes(effect)) {
      faults.notSupported(`${each}.effect`, effect, deviceTaintEffects);
    }
  });
}

export const deviceTaintEffects: readonly string[] = ["NoExecute", "NoSchedule", "None"];

/** The request names in a constraint, a configuration or a result. */
export function validateRequestReferences(
  references: readonly string[] | undefined,
  { names, path }: { names: RequestNames; path: string },
  faults: Faults,
): void {
  validateEach({ items: references, path, max: entriesMax, keyOf: (name) => name }, faults, (name, each) =>
    validateRequestReference(name, { names, path: each }, faults),
  );
}

export function validateRequestReference(
  reference: string,
  { names, path }: { names: RequestNames; path: string },
  faults: Faults,
): void {
  const [request = "", subrequest, ...more] = reference.split("/");
  const isKnown =
    more.length === 0 &&
    names.has(request) &&
    (subrequest === undefined || names.get(request)?.has(subrequest) === true);
  if (isKnown) return;
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  faults.invalid(path, reference, detail);
}

export function validateConfiguration(
  opaque: OpaqueDeviceConfiguration | undefined,
  path: string,
  faults: Faults,
): void {
  if (opaque === undefined) return faults.required(`${path}.opaque`);
  validateDriverName(opaque.driver, `${path}.opaque.driver`, faults);
  validateRawSize(opaque.parameters, `${path}.opaque.parameters`, faults);
}
