import type { CelWorld } from "@kintsugi/cel";
import type { KubeObject } from "../../resources/resource.ts";
import {
  type CompiledExpression,
  type CostLeft,
  evaluateExpression,
  type ExpressionOutcome,
} from "../expressions/compiled-expression.ts";
import { celOfParams, type RequestValues } from "../expressions/request-values.ts";

/** The variables of a policy's expressions, and the total cost that they may have. */
export class PolicyScope {
  readonly world: CelWorld;
  readonly #values: RequestValues;
  readonly #cost: CostLeft;
  readonly params: unknown;
  /** Each variable is evaluated when it is first used. */
  readonly variables: ReadonlyMap<string, unknown>;

  constructor(subject: {
    values: RequestValues;
    world: CelWorld;
    params: KubeObject | undefined;
    variables: ReadonlyMap<string, CompiledExpression>;
    cost: CostLeft;
  }) {
    this.#values = subject.values;
    this.#cost = subject.cost;
    this.world = subject.world;
    this.params = celOfParams(subject.params);
    this.variables = new LazyVariables(subject.variables, (expression) => this.evaluate(expression));
  }

  get object(): unknown {
    return this.#values.object;
  }

  get oldObject(): unknown {
    return this.#values.oldObject;
  }

  get request(): unknown {
    return this.#values.request;
  }

  get namespaceObject(): unknown {
    return this.#values.namespaceObject;
  }

  get authorizer(): unknown {
    return this.#values.authorizer;
  }

  evaluate(expression: CompiledExpression): ExpressionOutcome {
    return evaluateExpression(expression, { variables: this, world: this.world, cost: this.#cost });
  }
}

/** A map whose members are evaluated when they are read. */
class LazyVariables extends Map<string, unknown> {
  readonly #expressions: ReadonlyMap<string, CompiledExpression>;
  readonly #evaluate: (expression: CompiledExpression) => ExpressionOutcome;

  constructor(
    expressions: ReadonlyMap<string, CompiledExpression>,
    evaluate: (expression: CompiledExpression) => ExpressionOutcome,
  ) {
    super();
    this.#expressions = expressions;
    this.#evaluate = evaluate;
  }

  /** @throws Error when the variable cannot be evaluated. */
  override get(name: string): unknown {
    if (super.has(name)) return super.get(name);
    const expression = this.#expressions.get(name);
    if (expression === undefined) return undefined;
    const result = this.#evaluate(expression);
    if (result.outcome !== "value") {
      throw new Error(`composited variable ${JSON.stringify(name)} fails to evaluate: ${result.message}`);
    }
    this.set(name, result.value);
    return result.value;
  }
}
