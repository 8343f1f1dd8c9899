import { apiVersionOf, type DeviceClass, deviceClasses, isApiError } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { labDevicesName } from "../components/node-programs.ts";

const labClass: DeviceClass = {
  apiVersion: apiVersionOf(deviceClasses),
  kind: deviceClasses.kind,
  metadata: { name: labDevicesName },
  spec: { selectors: [{ cel: { expression: `device.driver == "${labDevicesName}"` } }] },
};

/** The client has the administrator's permissions, and is closed after the call. */
export function createDeviceObjects(deps: { connect: () => Client }) {
  return {
    /** Creates the class of the lab's devices if it is missing. */
    async provide(): Promise<void> {
      const client = deps.connect();
      try {
        await client.create(deviceClasses, labClass);
      } catch (error) {
        if (!isApiError(error, "AlreadyExists")) throw error;
      } finally {
        await client.close();
      }
    },
  };
}
