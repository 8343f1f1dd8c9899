import {
  ApiError,
  type CustomResourceDefinitionVersion,
  type JsonObject,
  type JsonValue,
  type ScaleAccess,
} from "@kintsugi/api";
import { setValueAt, simplePath, valueAt } from "@kintsugi/structural-schemas";
import type { KubeObject } from "../resources/resource.ts";

type ScalePaths = NonNullable<NonNullable<CustomResourceDefinitionVersion["subresources"]>["scale"]>;

/** Reads and writes the size of a custom object at the paths that its definition names. */
export function scaleOfVersion(paths: ScalePaths): ScaleAccess<KubeObject> {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = paths;
  const at = (object: KubeObject, path: string): JsonValue | undefined => {
    const names = simplePath(path);
    return names === undefined ? undefined : valueAt(object as unknown as JsonObject, names);
  };
  return {
    read: (object) => {
      const wanted = at(object, specReplicasPath);
      if (typeof wanted !== "number") {
        throw new ApiError("InternalError", `the spec replicas field "${specReplicasPath}" does not exist`);
      }
      const actual = at(object, statusReplicasPath);
      const selector = labelSelectorPath === "" ? undefined : at(object, labelSelectorPath);
      return {
        wanted,
        actual: typeof actual === "number" ? actual : 0,
        selector: typeof selector === "string" ? selector : "",
      };
    },
    write: (object, wanted) => {
      const names = simplePath(specReplicasPath);
      if (names !== undefined) setValueAt(object as unknown as JsonObject, names, wanted);
    },
  };
}
