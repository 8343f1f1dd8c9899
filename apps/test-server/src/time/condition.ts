import { ApiError, badRequest, groupVersionPath } from "@kintsugi/api";
import { type CelExpression, compileCel } from "@kintsugi/cel";
import { type Client, discoverTypes } from "@kintsugi/client";

/** A condition on an object, or on all objects of a kind, as a CEL expression. */
export interface ConditionRequest {
  /** An expression over `object`; over `objects`, a list, if the condition has no name. */
  expression: string;
  /** "deployments.apps", "pods". */
  resource: string;
  namespace: string | undefined;
  name: string | undefined;
}

/** The present result of the condition; `why` is a sentence for a person. */
export type ConditionJudgement = { holds: true } | { holds: false; why: string };

/** A quarter of a second at most. */
const costMax = 1_000_000;

/**
 * Prepares the condition, which reads with the rights of `client`.
 * @throws ApiError when the expression is invalid, or the resource is not served.
 */
export async function prepareCondition(
  client: Pick<Client, "call">,
  request: ConditionRequest,
  signal: AbortSignal,
): Promise<() => Promise<ConditionJudgement>> {
  const expression = compiled(request.expression);
  const path = await pathOf(client, request, signal);
  const variable = request.name === undefined ? "objects" : "object";
  return async () => {
    const found = await read(client, path);
    if (found === undefined) return { holds: false, why: `${nameOf(request)} does not exist` };
    const value = request.name === undefined ? (found as { items: unknown }).items : found;
    return judge(expression, { [variable]: value });
  };
}

function compiled(text: string): CelExpression {
  try {
    return compileCel(text);
  } catch (error) {
    throw badRequest(`until.expression: ${(error as Error).message}`);
  }
}

function judge(expression: CelExpression, variables: Readonly<Record<string, unknown>>): ConditionJudgement {
  const result = expression.evaluate(variables, { costLeft: costMax });
  switch (result.outcome) {
    case "value":
      if (result.value === true) return { holds: true };
      if (result.value === false) return { holds: false, why: "the expression is false" };
      throw badRequest("until.expression must evaluate to true or false");
    // A missing field may appear later.
    case "error":
      return { holds: false, why: `the expression cannot be evaluated: ${result.message}` };
    case "tooCostly":
      throw badRequest("until.expression costs too much to be evaluated at each step");
  }
}

async function pathOf(client: Pick<Client, "call">, request: ConditionRequest, signal: AbortSignal): Promise<string> {
  const { namespace, name } = request;
  const { types } = await discoverTypes(client, signal);
  const found = types.find(
    ({ group, resource }) => request.resource === (group === "" ? resource : `${resource}.${group}`),
  );
  if (found === undefined)
    throw badRequest(
      `until.resource: the cluster has no resource ${JSON.stringify(request.resource)}; write its plural and its group, such as "pods" or "deployments.apps"`,
    );
  const { resource, namespaced } = found;
  const base = groupVersionPath(found);
  const scope = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  if (namespaced && name !== undefined && namespace === undefined)
    throw badRequest(`until.namespace: ${request.resource} are namespaced`);
  return `${base}${scope}/${resource}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

async function read(client: Pick<Client, "call">, path: string): Promise<unknown> {
  try {
    return await client.call({ method: "GET", path });
  } catch (error) {
    if (error instanceof ApiError && error.reason === "NotFound") return undefined;
    throw error;
  }
}

function nameOf({ resource, namespace, name }: ConditionRequest): string {
  return `${resource} ${namespace === undefined ? "" : `${namespace}/`}${name ?? ""}`;
}
