/**
 * A cluster in the lab or a simulation has at most this many nodes: a node's pods get
 * 10.x.<index>.0/24, and index 0 is the nodes' own network.
 */
export const nodesMax = 200;

/**
 * One process has at most this many hollow nodes: no larger number was measured. Their pods'
 * addresses lead nowhere, so a cluster has as many as its processes have.
 */
export const hollowNodesMax = 5_000;

/** Label of every hollow node, a kubelet without containers; its value is "true". */
export const hollowLabel = "kintsugi.dev/hollow";
