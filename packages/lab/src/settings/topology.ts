import { z } from "zod";
import { type NodeGroupText, namesOfGroups } from "./nodes/node-groups.ts";
import type { FieldFault, HostSize, TopologyPlace } from "./setting.ts";
import { anySettings, type DesiredSettings } from "./desired-settings.ts";

const fields = anySettings.flatMap(({ name, field }) => (field === undefined ? [] : [{ setting: name, ...field }]));

/** The schema of a topology file: one field for each setting that declares a field. */
export const TopologyFile = z.strictObject({
  apiVersion: z.literal("kintsugi.dev/v1"),
  kind: z.literal("Topology"),
  ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema.optional()])),
});
export type TopologyFile = Readonly<Record<string, unknown>>;

/** Returns the faults of a file that its schema does not find. */
export function faultsOfTopology(file: TopologyFile, context: { directory: string; host: HostSize }): FieldFault[] {
  const place = placeOf(file, context);
  return fields.flatMap((field) => {
    const value = file[field.name];
    const found = value === undefined ? [] : (field.faults?.(value, place) ?? []);
    return found.map(({ path, message }) => ({ path: [field.name, ...path], message }));
  });
}

/** Returns the desired settings of a file without faults. */
export function desiredOfTopology(file: TopologyFile, context: { directory: string; host: HostSize }): DesiredSettings {
  const place = placeOf(file, context);
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = file[field.name];
      const desired = value === undefined ? field.absent : field.read(value, place);
      return desired === undefined ? [] : [[field.setting, desired]];
    }),
  );
}

function placeOf(file: TopologyFile, context: { directory: string; host: HostSize }): TopologyPlace {
  return { ...context, nodeNames: namesOfGroups((file["nodes"] as readonly NodeGroupText[] | undefined) ?? []) };
}
