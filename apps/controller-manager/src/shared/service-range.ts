import { type Ipv4Range, parseIpv4Range } from "@kintsugi/api";
import { flag, option, type OptionValues } from "@kintsugi/daemon";

/** The option of every controller that needs the addresses of Services. */
export const serviceRangeOptions = {
  serviceClusterIpRange: option(
    "service-cluster-ip-range",
    flag.text({
      help: "Range of the cluster IPs of Services, the same as the API server's; nodes do not get these addresses, neither for their pods nor in their certificates",
      example: "10.96.0.0/16",
      key: "serviceClusterIPRange",
    }),
  ),
};

/** Undefined if the range is not configured. @throws RangeError with the flag that is wrong. */
export function readServiceRange(options: OptionValues<typeof serviceRangeOptions>): Ipv4Range | undefined {
  const { serviceClusterIpRange: text } = options;
  return text === undefined ? undefined : rangeOf("--service-cluster-ip-range", text);
}

/** @throws RangeError that begins with the flag's name. */
export function rangeOf(name: string, text: string): Ipv4Range {
  return naming(name, () => parseIpv4Range(text));
}

/** @throws RangeError that begins with the flag's name, where `read` throws an error. */
export function naming<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new RangeError(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Returns the message of a RangeError that `read` throws. */
export function findRangeProblem(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
