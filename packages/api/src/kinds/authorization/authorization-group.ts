export * from "./access-review/access-review-kinds.ts";
export * from "./access-review/access-review-types.ts";
export * from "./access-review/access-review.ts";
export * from "./attributes.ts";
export * from "./rules-review/rules-review-kind.ts";
export * from "./rules-review/rules-review-type.ts";
export * from "./rules-review/rules-review.ts";
