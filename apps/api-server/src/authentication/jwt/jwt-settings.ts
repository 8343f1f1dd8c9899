import type { CelExpression } from "@kintsugi/cel";
import type { JwtAlgorithm } from "./signed-jwt.ts";

/** One issuer whose tokens identify users, and the mapping of its claims to a user. */
export interface JwtSettings {
  readonly issuer: IssuerSettings;
  readonly claimRules: readonly ClaimRule[];
  readonly username: ClaimSource;
  readonly groups: ClaimSource | undefined;
  readonly uid: ClaimSource | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: CelExpression }[];
  readonly userRules: readonly ExpressionRule[];
  readonly algorithms: readonly JwtAlgorithm[];
}

export interface IssuerSettings {
  /** The claim `iss` of its tokens, exactly. */
  readonly url: string;
  /** The URL of the discovery document, where it is not below `url`. */
  readonly discoveryUrl: string | undefined;
  /** PEM; undefined: the authorities of the machine. */
  readonly ca: string | undefined;
  /** A token has to name one of these audiences. */
  readonly audiences: readonly string[];
}

/** The value of one claim with a prefix, or the value of an expression. */
export type ClaimSource = { readonly claim: string; readonly prefix: string } | { readonly expression: CelExpression };

export type ClaimRule = { readonly claim: string; readonly requiredValue: string } | ExpressionRule;

export interface ExpressionRule {
  readonly expression: CelExpression;
  readonly text: string;
  readonly message: string;
}
