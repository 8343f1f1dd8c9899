import type { Faults } from "../../../validation/faults.ts";
import type { TokenRequest } from "./token-request.ts";

export function setTokenRequestDefaults(request: TokenRequest): void {
  request.spec ??= { audiences: [] };
  request.spec.expirationSeconds ??= 3600;
}

/** A shorter lifetime could end before the token's holder renews it. */
const tokenSecondsMin = 600;

export function validateTokenRequest({ spec }: TokenRequest, faults: Faults): void {
  const { expirationSeconds } = spec ?? {};
  const path = "spec.expirationSeconds";
  if (expirationSeconds === undefined) return;
  if (expirationSeconds < tokenSecondsMin) {
    faults.invalid(path, expirationSeconds, "may not specify a duration less than 10 minutes");
  }
  if (expirationSeconds > 2 ** 32) {
    faults.invalid(path, expirationSeconds, "may not specify a duration larger than 2^32 seconds");
  }
}
