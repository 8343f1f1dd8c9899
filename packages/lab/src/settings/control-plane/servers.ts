import { countedNoun } from "@kintsugi/api";
import { z } from "zod";
import { InvalidSpec } from "../invalid-spec.ts";
import { plainField, defineSetting, wholeNumber } from "../setting.ts";

/**
 * A machine of the control plane: an etcd member, a NATS server, an API server, a scheduler and a
 * controller-manager.
 */
export interface ServerSpec {
  name: string;
  /** The number of the server, from 1; it determines the server's address. */
  index: number;
}

export const serversSetting = defineSetting({
  name: "servers",
  help: "machines of the control plane, each with an API server, a scheduler, a controller-manager, and a member of etcd and NATS: 1 (the default: this host, without etcd), 3 or 5",
  flag: { flags: "--servers <count>", parse: wholeNumber({ min: 1, max: 5 }) },
  field: plainField<number>("servers", z.union([z.literal(1), z.literal(3), z.literal(5)])),
  /**
   * Servers share their objects in etcd; without servers one control plane runs on the host itself,
   * and stores its objects in LevelDB.
   */
  store(desired = 1): { servers?: readonly ServerSpec[] } {
    const planned = planServers(desired);
    return planned === undefined ? {} : { servers: planned };
  },
  contradiction({ servers: present }, desired) {
    const number = present?.length ?? 1;
    return desired === number ? undefined : `${countedNoun(number, "server")}, not ${desired}`;
  },
});

/** Numbers of servers that can lose a minority: two of three, and three of five, are a majority. */
const serverCounts: readonly number[] = [3, 5];

/**
 * Returns the machines of a control plane; undefined for a control plane on the host itself.
 * @throws InvalidSpec that names the remedy.
 */
export function planServers(wanted: number): readonly ServerSpec[] | undefined {
  if (wanted === 1) return undefined;
  if (!serverCounts.includes(wanted)) {
    throw new InvalidSpec(
      `--servers must be 1, 3 or 5, not ${wanted}: two servers tolerate no more failures than one, and four no more than three`,
    );
  }
  return Array.from({ length: wanted }, (_, i) => ({ name: `server-${i + 1}`, index: i + 1 }));
}
