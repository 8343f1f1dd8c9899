import { collectFaults, type ExpressionSet, type Faults, type ValidationIssue } from "@kintsugi/api";
import {
  type CelExpression,
  compileCel,
  dyn,
  ExpressionBudget,
  objectWith,
  patchTypeFaults,
  type StaticType,
  syntaxFaultText,
  typeText,
} from "@kintsugi/cel";
import { authorizerType, deviceType, namespaceType, requestType } from "./expression-types.ts";

/**
 * Compiles the expressions of an object, and reports in upstream's words the expressions that are
 * invalid or have a value of another type.
 */
export function checkAdmissionExpressions(set: ExpressionSet): readonly ValidationIssue[] {
  const { variables, expressions, patches, params, about } = set;
  const common: Readonly<Record<string, StaticType>> =
    about === "device"
      ? { device: deviceType }
      : {
          object: dyn,
          oldObject: dyn,
          request: requestType,
          namespaceObject: namespaceType,
          ...(params && { params: dyn }),
        };
  const known: Record<string, StaticType> = {};
  const budget = new ExpressionBudget();
  return collectFaults((faults) => {
    const check = (
      { field, text }: { field: string; text: string },
      types: Readonly<Record<string, StaticType>>,
    ): StaticType | undefined => {
      const because = budget.explain(text);
      if (because !== undefined) {
        faults.forbidden(field, because);
        return undefined;
      }
      const expression = compiled(field, text, faults);
      if (expression === undefined) return undefined;
      const result = expression.check(types);
      const names = patchTypeFaults(expression.expr, patches).map((fault) => `ERROR: <input>:1:1: ${fault}`);
      const found = [...result.faults, ...names];
      if (found.length === 0) return result.type;
      faults.invalid(field, text, `compilation failed: ${found.join("\n")}`);
      return undefined;
    };
    for (const variable of variables) {
      const types = { ...common, authorizer: authorizerType, variables: objectWith("kubernetes.variables", known) };
      // A variable with a fault is still declared, so that the fault is reported once.
      known[variable.name] = check(variable, types) ?? dyn;
    }
    for (const { authorizer, variables: hasVariables, returns, ...expression } of expressions) {
      const type = check(expression, {
        ...common,
        ...(authorizer && { authorizer: authorizerType }),
        ...(hasVariables && variables.length > 0 && { variables: objectWith("kubernetes.variables", known) }),
      });
      if (type === undefined || returns.some((wanted) => wanted === typeText(type))) continue;
      const wanted = returns.length === 1 ? returns[0] : `one of [${returns.join(" ")}]`;
      const detail =
        about === "device"
          ? `must evaluate to bool or the unknown type, not ${typeText(type)}`
          : `must evaluate to ${wanted} but got ${typeText(type)}`;
      faults.invalid(expression.field, expression.text, detail);
    }
  });
}

function compiled(field: string, text: string, faults: Faults): CelExpression | undefined {
  try {
    return compileCel(text);
  } catch (error) {
    faults.invalid(field, text, `compilation failed: ${syntaxFaultText(error, text)}`);
    return undefined;
  }
}
