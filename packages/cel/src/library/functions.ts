import { celFunc, CelScalar } from "@bufbuild/cel";
import { spend } from "../meter.ts";
import { charge, tick } from "../rewrite.ts";
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
import { sizeOf } from "./value-size.ts";

const { BOOL, DYN, INT } = CelScalar;

/** The functions by which a rewritten expression pays. */
const meterFunctions = [
  celFunc(tick, [INT], BOOL, (steps) => spend(Number(steps))),
  celFunc(charge, [DYN], DYN, (value) => {
    if (!spend(sizeOf(value))) throw new Error("the expression costs more than its budget");
    return value;
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
  ...urlFunctions,
];
