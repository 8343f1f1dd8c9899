export * from "./self-subject-review/self-subject-review-kinds.ts";
export * from "./self-subject-review/self-subject-review-type.ts";
export * from "./self-subject-review/self-subject-review.ts";
export { setTokenRequestDefaults, validateTokenRequest } from "./token-request/token-request-rules.ts";
export * from "./token-request/token-request-type.ts";
export * from "./token-request/token-request.ts";
export * from "./token-review/token-review-kind.ts";
export * from "./token-review/token-review-type.ts";
export * from "./token-review/token-review.ts";
