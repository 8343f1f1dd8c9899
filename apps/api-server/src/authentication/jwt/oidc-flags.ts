import { flag, FlagError, type FlagValues } from "@kintsugi/daemon";
import { urlFaults } from "./authentication-configuration.ts";
import type { JwtSettings } from "./jwt-settings.ts";
import { type JwtAlgorithm, jwtAlgorithms } from "./signed-jwt.ts";

/**
 * The flags of one token issuer, which is upstream's older way, and of a file with several issuers.
 */
export const authenticationFlags = {
  "authentication-config": flag.path({
    help: "Issuers of JSON Web Tokens that identify users (AuthenticationConfiguration of apiserver.config.k8s.io/v1)",
    example: "/etc/kintsugi/authentication.yaml",
  }),
  "oidc-issuer-url": flag.text({
    help: "Issuer of the tokens that identify users, an https URL",
    placeholder: "url",
    key: "oidcIssuerURL",
    fallback: "",
  }),
  "oidc-client-id": flag.text({
    help: "Audience that the issuer's tokens must contain",
    key: "oidcClientID",
    fallback: "",
  }),
  "oidc-username-claim": flag.text({ help: "Claim that is the user's name", fallback: "sub" }),
  "oidc-username-prefix": flag.text({
    help: "Prefix of the user's name; - means no prefix (default: the issuer and #, or no prefix if the claim is email)",
    fallback: "",
  }),
  "oidc-groups-claim": flag.text({ help: "Claim that holds the user's groups", fallback: "" }),
  "oidc-groups-prefix": flag.text({ help: "Prefix of each group's name", fallback: "" }),
  "oidc-required-claim": flag.list({
    help: "Claims that tokens must contain, as key=value",
    fallback: [],
    example: ["team=platform"],
  }),
  "oidc-signing-algs": flag.list({ help: "Allowed signature algorithms of tokens", fallback: ["RS256"] }),
  "oidc-ca-file": flag.path({
    help: "Certificate authority of the issuer's server, PEM (default: the certificate authorities of this machine)",
    key: "oidcCAFile",
    example: "/etc/kintsugi/pki/issuer-ca.crt",
  }),
} as const;

/** Issuers from a file, or one issuer from flags whose authority is still a path. */
export interface AuthenticationConfig {
  readonly file: string | undefined;
  readonly oidc: { readonly settings: JwtSettings; readonly caFile: string | undefined } | undefined;
}

/** @throws FlagError */
export function authenticationConfig(given: FlagValues<typeof authenticationFlags>): AuthenticationConfig {
  const file = given["authentication-config"];
  const [url, audience] = [given["oidc-issuer-url"], given["oidc-client-id"]];
  const others = [given["oidc-groups-claim"], given["oidc-groups-prefix"], given["oidc-username-prefix"]];
  if ([url, audience, ...others].every((each) => each === "")) return { file, oidc: undefined };
  if (file !== undefined) throw new FlagError("authentication-config file and oidc-* flags are mutually exclusive");
  if (url === "" || audience === "") {
    throw new FlagError("oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set");
  }
  const [fault] = urlFaults(url);
  if (fault !== undefined) throw new FlagError(`--oidc-issuer-url: ${fault}`);
  const claim = given["oidc-username-claim"];
  const prefix = given["oidc-username-prefix"] || (claim === "email" ? "" : `${url}#`);
  const groups = given["oidc-groups-claim"];
  const settings: JwtSettings = {
    issuer: { url, discoveryUrl: undefined, ca: undefined, audiences: [audience] },
    claimRules: given["oidc-required-claim"].map(requiredClaim),
    username: { claim, prefix: prefix === "-" ? "" : prefix },
    groups: groups === "" ? undefined : { claim: groups, prefix: given["oidc-groups-prefix"] },
    uid: undefined,
    extra: [],
    userRules: [],
    algorithms: algorithmsOf(given["oidc-signing-algs"]),
  };
  return { file, oidc: { settings, caFile: given["oidc-ca-file"] } };
}

function requiredClaim(pair: string): { claim: string; requiredValue: string } {
  const [claim = "", requiredValue] = pair.split(/=(.*)/s);
  if (claim !== "" && requiredValue !== undefined) return { claim, requiredValue };
  throw new FlagError(`--oidc-required-claim must be key=value, not ${JSON.stringify(pair)}`);
}

function algorithmsOf(names: readonly string[]): readonly JwtAlgorithm[] {
  const known: readonly string[] = jwtAlgorithms;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined && names.length > 0) return names as readonly JwtAlgorithm[];
  throw new FlagError(`--oidc-signing-algs: ${JSON.stringify(unknown ?? "")} is not one of ${known.join(", ")}`);
}
