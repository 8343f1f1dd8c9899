import { describe, expect, test } from "vitest";
import { controllers } from "./controllers.ts";
import { controllerRoles } from "./roles.ts";

describe("the list of controllers", () => {
  test("has a name for each, and no name twice", () => {
    const names = controllers.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("names no role that the API server does not know, and leaves none out", () => {
    const declared = new Set(controllers.flatMap(({ roles }) => roles.map(({ name }) => name)));
    expect([...declared].toSorted()).toEqual(controllerRoles.map(({ name }) => name).toSorted());
  });
});
