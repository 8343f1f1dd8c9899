import { describe, expect, test } from "vitest";
import { aPolicy, policiesPath, policyBindingsPath } from "../../testing/policies.ts";
import { TestServer } from "../../testing/test-server.ts";

describe("a policy is rejected in upstream's words", () => {
  test.each<[string, object, string]>([
    [
      "for a name that is not declared",
      { validations: [{ expression: "params.data.max == '3'" }] },
      `spec.validations[0].expression: Invalid value: "params.data.max == '3'": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')`,
    ],
    [
      "for a result of another type",
      { validations: [{ expression: "object.spec.replicas" }] },
      'spec.validations[0].expression: Invalid value: "object.spec.replicas": must evaluate to bool but got dyn',
    ],
    [
      "for a message of another type",
      { validations: [{ expression: "true", messageExpression: "1 + 1" }] },
      'spec.validations[0].messageExpression: Invalid value: "1 + 1": must evaluate to string but got int',
    ],
    [
      "for a field of the request that does not exist",
      { validations: [{ expression: "request.user == 'a'" }] },
      "undefined field 'user'",
    ],
    [
      "for a variable that is declared later",
      {
        variables: [
          { name: "a", expression: "variables.b" },
          { name: "b", expression: "1" },
        ],
        validations: [{ expression: "true" }],
      },
      "spec.variables[0].expression: Invalid value: \"variables.b\": compilation failed: ERROR: <input>:1:10: undefined field 'b'",
    ],
    [
      "for an empty list of rules",
      { matchConstraints: {}, validations: [{ expression: "true" }] },
      "spec.matchConstraints.resourceRules: Required value",
    ],
    [
      "for a binding without its own rules",
      {},
      "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
    ],
    [
      "for a syntax error",
      { validations: [{ expression: "object.x >" }] },
      "compilation failed: ERROR: <input>:1:10: Syntax error: ",
    ],
    [
      "for an unknown reason",
      { validations: [{ expression: "true", reason: "Because" }] },
      'spec.validations[0].reason: Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ])("%s", async (_name, spec, message) => {
    await using server = await TestServer.start();
    const refused = await server.post(policiesPath.Validating, aPolicy("p", spec));
    expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining(message)]);
  });

  test.each<[object, string]>([
    [{ validationActions: [] }, "spec.validationActions: Required value: at least one validation action is required"],
    [{ validationActions: ["Deny", "Warn"] }, "must not contain both Deny and Warn"],
    [{ policyName: "" }, "spec.policyName: Required value"],
    [{ paramRef: { name: "a" } }, "spec.paramRef.parameterNotFoundAction: Required value"],
    [
      { paramRef: { parameterNotFoundAction: "Deny" } },
      "spec.paramRef: Required value: one of name or selector must be specified",
    ],
  ])("an invalid binding is rejected: %j", async (spec, message) => {
    await using server = await TestServer.start();
    const binding = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"], ...spec } };
    const refused = await server.post(policyBindingsPath.Validating, binding);
    expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining(message)]);
  });
});
