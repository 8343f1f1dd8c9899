import { builtInKinds } from "../kinds/built-in-kinds.ts";
import type { ResourceType } from "../meta/resource-type.ts";

/** The types of all kinds that are compiled in and stored. */
export const storedTypes: readonly ResourceType[] = builtInKinds
  .filter(({ answered }) => answered !== true)
  .map(({ type }) => type);
