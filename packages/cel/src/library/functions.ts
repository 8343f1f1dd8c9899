import { celFunc, CelScalar } from "@bufbuild/cel";
import { spend } from "../meter.ts";
import { charge, tick } from "../rewrite.ts";
import { addressFunctions } from "./addresses.ts";
import { listFunctions } from "./lists.ts";
import { optionalFunctions } from "./optionals.ts";
import { quantityFunctions } from "./quantities.ts";
import { regexFunctions } from "./regexes.ts";
import { urlFunctions } from "./urls.ts";
import { sizeOf } from "./value-size.ts";

const { BOOL, DYN } = CelScalar;

/** The functions by which a rewritten expression pays. */
const meterFunctions = [
  celFunc(tick, [], BOOL, () => spend(1)),
  celFunc(charge, [DYN], DYN, (value) => {
    if (!spend(sizeOf(value))) throw new Error("the expression costs more than its budget");
    return value;
  }),
];

/** Kubernetes' additions to the functions of CEL. */
export const kubernetesFunctions = [
  ...meterFunctions,
  ...addressFunctions,
  ...listFunctions,
  ...optionalFunctions,
  ...quantityFunctions,
  ...regexFunctions,
  ...urlFunctions,
];
