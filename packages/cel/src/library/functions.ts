import { celFunc, CelScalar, isCelList, isCelMap } from "@bufbuild/cel";
import { charge, spend } from "../cost/meter.ts";
import { copyCostOf } from "../cost/value-size.ts";
import { range, tick } from "../rewrite.ts";
import { textFunctions } from "../texts/text-functions.ts";
import { addressFunctions } from "./addresses.ts";
import { authorizerFunctions } from "./authorizer.ts";
import { listFunctions } from "./lists.ts";
import { optionalFunctions } from "./optionals.ts";
import { pairFunctions } from "./pairs.ts";
import { patchFunctions } from "./patches.ts";
import { quantityFunctions } from "./quantities.ts";
import { regexFunctions } from "./regexes.ts";
import { formatFunctions } from "./formats.ts";
import { semverFunctions } from "./semvers.ts";
import { setFunctions } from "./sets.ts";
import { urlFunctions } from "./urls.ts";

const { BOOL, DYN, INT } = CelScalar;

/** The functions by which a rewritten expression charges its cost. */
const meterFunctions = [
  celFunc(tick, [INT], BOOL, (steps) => spend(Number(steps))),
  // A loop copies its range before the first turn.
  celFunc(range, [DYN], DYN, (whole) => {
    if (isCelList(whole) || isCelMap(whole)) charge(copyCostOf(whole));
    return whole;
  }),
];

/** Kubernetes' additions to the functions of CEL. */
export const kubernetesFunctions = [
  ...meterFunctions,
  ...addressFunctions,
  ...authorizerFunctions,
  ...listFunctions,
  ...optionalFunctions,
  ...pairFunctions,
  ...patchFunctions,
  ...quantityFunctions,
  ...regexFunctions,
  ...formatFunctions,
  ...semverFunctions,
  ...setFunctions,
  ...textFunctions,
  ...urlFunctions,
];
