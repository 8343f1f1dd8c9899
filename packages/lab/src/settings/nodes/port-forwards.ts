import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { ports, defineSetting, topologyField } from "../setting.ts";

/** A port of this host whose connections are forwarded to a port of a node. */
export interface ForwardedPort {
  /** Default 127.0.0.1. */
  hostAddress?: string;
  hostPort: number;
  node: string;
  nodePort: number;
}

type Forwards = readonly ForwardedPort[];

const port = z.int().min(ports.min).max(ports.max);

export const portForwardsSetting = defineSetting({
  name: "portForwards",
  help: "TCP ports of this host that forward to ports of nodes",
  field: topologyField({
    name: "ports",
    schema: z.array(z.strictObject({ address: z.string().optional(), host: port, node: z.string(), port })).max(64),
    absent: [],
    read: (value): Forwards =>
      value.map(({ address, host, node, port: nodePort }) => ({
        ...(address === undefined ? {} : { hostAddress: address }),
        hostPort: host,
        node,
        nodePort,
      })),
    faults: (value, { nodeNames }) =>
      value.flatMap(({ node }, index) => {
        if (nodeNames.has(node)) return [];
        const message = `there is no node "${node}"; there are ${[...nodeNames].slice(0, 10).join(", ")}`;
        return [{ path: [index, "node"], message }];
      }),
  }),
  store: (desired = []): { portForwards?: Forwards } => (desired.length === 0 ? {} : { portForwards: desired }),
  contradiction: ({ portForwards: present = [] }, desired) =>
    isDeepStrictEqual(desired, present) ? undefined : "other ports",
});
