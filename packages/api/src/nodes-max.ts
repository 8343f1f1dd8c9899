/**
 * A cluster in the lab has at most this many nodes with containers: a node's pods get
 * 10.x.<index>.0/24, and index 0 is the nodes' own network. More nodes are hollow ones.
 */
export const nodesMax = 200;

/**
 * A simulation has at most this many nodes, which take some 40 s of a processor to start, and 1 GB
 * of memory.
 */
export const simulatedNodesMax = 1_000;

/**
 * One process has at most this many hollow nodes: no larger number was measured. Their pods'
 * addresses lead nowhere, so a cluster has as many as its processes have.
 */
export const hollowNodesMax = 5_000;

/** Label of every hollow node, a kubelet without containers; its value is "true". */
export const hollowLabel = "kintsugi.dev/hollow";
