import { describe, expect, test } from "vitest";
import { controllers } from "./controllers.ts";
import { controllerRoles } from "@kintsugi/rules";

describe("the list of controllers", () => {
  test("has a unique name for each controller", () => {
    const names = controllers.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("names only roles that the API server defines, and all of them", () => {
    const declared = new Set(controllers.flatMap(({ roles }) => roles.map(({ name }) => name)));
    expect([...declared].toSorted()).toEqual(controllerRoles.map(({ name }) => name).toSorted());
  });
});
