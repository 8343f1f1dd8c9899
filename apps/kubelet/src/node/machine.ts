/** What a node tells of the machine it is. */
export interface Machine {
  /** Read once, at the start. */
  facts(): Promise<MachineFacts>;
  /** Read for each status. */
  pressure(): Promise<MachinePressure>;
}

export interface MachineFacts {
  cpuMillicores: number;
  memoryBytes: number;
  ephemeralStorageBytes: number;
  architecture: string;
  operatingSystem: string;
  kernelVersion: string;
  osImage: string;
  machineId: string;
  systemUuid: string;
  bootId: string;
}

export interface MachinePressure {
  memoryAvailableBytes: number;
  diskAvailableBytes: number;
  diskBytes: number;
  pidsUsed: number;
  pidsMax: number;
}
