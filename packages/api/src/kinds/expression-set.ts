/** The expressions of one object, which the server compiles together. */
export interface ExpressionSet {
  /** Set where expressions judge a device by the variable `device`, and not a request. */
  readonly about?: "device";
  /** True where expressions may use `params`. */
  readonly params: boolean;
  /** True where expressions may make patches, by the types Object and JSONPatch. */
  readonly patches: boolean;
  /** Each variable may be used by those that follow it. */
  readonly variables: readonly PlacedExpression[];
  readonly expressions: readonly CheckedExpression[];
}

interface PlacedExpression {
  /** The path of the field, which a fault names. */
  readonly field: string;
  readonly name: string;
  readonly text: string;
}

export interface CheckedExpression {
  /** The path of the field, which a fault names. */
  readonly field: string;
  readonly text: string;
  /** The value has one of these types, as CEL writes them. */
  readonly returns: readonly ExpressionResult[];
  /** True where the expression may use `authorizer`. */
  readonly authorizer: boolean;
  /** True where the expression may use `variables`. */
  readonly variables: boolean;
}

type ExpressionResult = "bool" | "dyn" | "string" | "null_type" | "Object" | "list(JSONPatch)";
