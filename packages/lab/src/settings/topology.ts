import { z } from "zod";
import { type NodeGroupText, namesOfGroups } from "./nodes/node-groups.ts";
import type { FieldFault, HostSize, TopologyPlace } from "./setting.ts";
import { anySettings, type Wishes } from "./wishes.ts";

const fields = anySettings.flatMap(({ name, field }) => (field === undefined ? [] : [{ setting: name, ...field }]));

/** The shape of a topology file: one field for each setting that has one. */
export const TopologyFile = z.strictObject({
  apiVersion: z.literal("kintsugi.dev/v1"),
  kind: z.literal("Topology"),
  ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema.optional()])),
});
export type TopologyFile = Readonly<Record<string, unknown>>;

/** Returns the faults of a file that its shape does not show. */
export function faultsOfTopology(file: TopologyFile, at: { directory: string; host: HostSize }): FieldFault[] {
  const place = placeOf(file, at);
  return fields.flatMap((field) => {
    const value = file[field.name];
    const found = value === undefined ? [] : (field.faults?.(value, place) ?? []);
    return found.map(({ path, message }) => ({ path: [field.name, ...path], message }));
  });
}

/** Returns the wishes of a file without faults. */
export function wishesOfTopology(file: TopologyFile, at: { directory: string; host: HostSize }): Wishes {
  const place = placeOf(file, at);
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = file[field.name];
      const wish = value === undefined ? field.absent : field.read(value, place);
      return wish === undefined ? [] : [[field.setting, wish]];
    }),
  );
}

function placeOf(file: TopologyFile, at: { directory: string; host: HostSize }): TopologyPlace {
  return { ...at, nodeNames: namesOfGroups((file["nodes"] as readonly NodeGroupText[] | undefined) ?? []) };
}
