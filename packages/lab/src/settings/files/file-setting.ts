import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { type Flags, type Setting, type SettingFiles, topologyField } from "../setting.ts";

/**
 * Returns the setting of a configuration file that the API server reads. The cluster stores its
 * path, so a change of the file applies from the next start.
 */
export function fileSetting<const Name extends string, const Stored extends string>(spec: {
  name: Name;
  stored: Stored;
  help: string;
  /** The file in words, for contradictions: "audit policy". */
  noun: string;
  /** Flags of the API server. */
  flags: (file: string, files: SettingFiles) => Flags;
}): Setting<Name, string, { readonly [Key in Stored]?: string }> {
  type Kept = { readonly [Key in Stored]?: string };
  return {
    name: spec.name,
    help: spec.help,
    field: topologyField({
      name: spec.name,
      schema: z.string(),
      read: (path, { directory }) => resolve(directory, path),
      faults(path, { directory }) {
        const message = findFault(resolve(directory, path));
        return message === undefined ? [] : [{ path: [], message }];
      },
    }),
    store: (desired) => (desired === undefined ? {} : { [spec.stored]: desired }) as Kept,
    contradiction(kept, desired) {
      const present: string | undefined = kept[spec.stored];
      return desired === present ? undefined : `${present === undefined ? "no" : "another"} ${spec.noun}`;
    },
    gives(kept, files) {
      const present: string | undefined = kept[spec.stored];
      return { "api-server": present === undefined ? {} : spec.flags(present, files) };
    },
  };
}

function findFault(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile() ? undefined : `${path} is not a file`;
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isAbsent ? `there is no file ${path}` : `${path} may not be read by this user`;
  }
}
