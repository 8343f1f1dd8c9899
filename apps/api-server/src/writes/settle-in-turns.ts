import type { PrepareContext } from "@kintsugi/api";
import { schemaExpressions } from "@kintsugi/structural-schemas";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { Resource } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";

/** A write whose object is validated. */
export interface Settled {
  /** The request in the view of steps; an asynchronous step may replace its object. */
  request: AdmissionRequest;
  /** @throws ApiError when the object is invalid. */
  settle(): void;
  /** Lists the expressions that `settle` compiles. */
  expressions?(): readonly string[];
}

/**
 * True where validation compiles so many expressions that other requests need their turn in the
 * meantime.
 */
export function takesTurns({ kind: { strategy } }: Resource, subresource: string): boolean {
  if (strategy.preparation?.isDone() === false) return true;
  return strategy.hasExpressions === true && subresource === "";
}

/** Compiles the expressions for validation in several turns, and validates. @throws ApiError */
export async function settleInTurns(
  { expressionTurns }: ServerContext,
  planned: Settled,
  signal: AbortSignal,
): Promise<void> {
  const { resource, user } = planned.request;
  const { preparation } = resource.kind.strategy;
  const requester = { user: user.name, signal };
  if (preparation?.isDone() === false) await expressionTurns.run(preparation.steps(), requester);
  using _held = await expressionTurns.hold(planned.expressions?.() ?? [], requester);
  planned.settle();
}

/** Lists the expressions that a validation of the kind would check. */
export function expressionsChecked(
  context: PrepareContext,
  validate: (collecting: PrepareContext) => unknown,
): readonly string[] {
  const found: string[] = [];
  validate({
    ...context,
    checkExpressions: ({ variables, expressions }) => {
      for (const { text } of [...variables, ...expressions]) found.push(text);
      return [];
    },
    checkDefinition: (definition, before) => {
      for (const text of schemaExpressions(definition, before)) found.push(text);
      return [];
    },
  });
  return found;
}
