/** A machine of a Vagrantfile. */
export interface LabMachine {
  readonly name: string;
  /**
   * "running", "shutoff", "poweroff", "not_created": providers use different names for the other
   * states.
   */
  readonly state: string;
}

// The output of `vagrant status --machine-readable`; lines of type "state" are used: time, machine,
// type, data.
//
//   1795322729,node-1,provider-name,libvirt
//   1795322729,node-1,state,running

export function machineStates(text: string): LabMachine[] {
  return text
    .split("\n")
    .map((line) => line.trim().split(","))
    .filter(([, name, type, state]) => type === "state" && name !== "" && state !== undefined)
    .map(([, name = "", , state = ""]) => ({ name, state }));
}
