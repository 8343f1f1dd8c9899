/**
 * A cluster in the lab or a simulation has at most this many nodes: a node's pods get
 * 10.x.<index>.0/24, and index 0 is the nodes' own network.
 */
export const nodesMax = 200;
