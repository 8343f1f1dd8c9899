import { milliQuantity } from "@kintsugi/api";

const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
/** Resources that are counted in bytes; all other resources except cpu are plain numbers. */
const inBytes = /^(memory|ephemeral-storage|hugepages-.*)$/;

/** An amount as in a manifest: 1500 of cpu is "1500m", 2147483648 of memory is "2Gi". */
export function amountText(resource: string, amount: number): string {
  if (resource === "cpu") return amount % 1000 === 0 ? String(amount / 1000) : milliQuantity(amount);
  if (!inBytes.test(resource)) return String(amount);
  let [value, unit] = [amount, 0];
  while (value >= 1024 && unit < binary.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${Number(value.toFixed(1))}${binary[unit] ?? ""}`;
}
