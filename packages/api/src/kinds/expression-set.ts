/** The expressions of one object, which the server compiles together. */
export interface ExpressionSet {
  /** Set if the expressions check a device, in the variable `device`, instead of a request. */
  readonly about?: "device";
  /** True if expressions may use `params`. */
  readonly params: boolean;
  /** True if expressions may make patches, with the types Object and JSONPatch. */
  readonly patches: boolean;
  /** Each variable may be used by later variables. */
  readonly variables: readonly PlacedExpression[];
  readonly expressions: readonly CheckedExpression[];
}

interface PlacedExpression {
  /** The path of the field for error messages. */
  readonly field: string;
  readonly name: string;
  readonly text: string;
}

export interface CheckedExpression {
  /** The path of the field for error messages. */
  readonly field: string;
  readonly text: string;
  /** The allowed types of the value, in CEL's notation. */
  readonly returns: readonly ExpressionResult[];
  /** True if the expression may use `authorizer`. */
  readonly authorizer: boolean;
  /** True if the expression may use `variables`. */
  readonly variables: boolean;
}

type ExpressionResult = "bool" | "dyn" | "string" | "null_type" | "Object" | "list(JSONPatch)";
