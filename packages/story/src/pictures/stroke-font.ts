// Letters as strokes, for pictures that are made without a browser and its fonts. A point is two
// digits, x from 0 to 4 and y from 0 (top of a capital) over 6 (baseline) to 8; the points of a
// stroke are connected, and strokes are separated by spaces.
//
//   "L": "000646"   (0,0) ─ (0,6) ─ (4,6)

/** The height of a capital in units of the strokes. */
export const capitalHeight = 6;

/** A letter to draw: its strokes, moved so that it begins at x = 0, and its width. */
export interface Glyph {
  readonly strokes: readonly (readonly (readonly [x: number, y: number])[])[];
  readonly width: number;
}

const space: Glyph = { strokes: [], width: 2 };
/** Drawn for characters without strokes. */
const unknownStrokes = "1030361610";

const strokesOf: Readonly<Record<string, string>> = {
  a: "4332120305163645 4246",
  b: "0006 0312324345361605",
  c: "4332120305163645",
  d: "4046 4332120305163645",
  e: "04444332120305163645",
  f: "30201116 0232",
  g: "4332120305163645 4247381807",
  h: "0006 0312324346",
  i: "2226 2020",
  j: "22271808 2020",
  k: "0006 320436",
  l: "2026",
  m: "0206 03122326 23324346",
  n: "0206 0312324346",
  o: "123243453616050312",
  p: "0208 0312324345361605",
  q: "4248 4332120305163645",
  r: "0206 031232",
  s: "43321203143445361605",
  t: "10152636 0232",
  u: "0205163645 4246",
  v: "022642",
  w: "0216233642",
  x: "0246 4206",
  y: "0226 4218",
  z: "02420646",
  A: "062046 1434",
  B: "003041423303 334445360600",
  C: "4130100105163645",
  D: "00204244260600",
  E: "40000646 0333",
  F: "400006 0333",
  G: "41301001051636454323",
  H: "0006 4046 0343",
  I: "1030 2026 1636",
  J: "4045361605",
  K: "0006 400346",
  L: "000646",
  M: "0600234046",
  N: "06004640",
  O: "103041453616050110",
  P: "06003041423303",
  Q: "103041453616050110 3446",
  R: "06003041423303 2346",
  S: "413010010213334445361605",
  T: "0040 2026",
  U: "000516364540",
  V: "002640",
  W: "0016223640",
  X: "0046 4006",
  Y: "002340 2326",
  Z: "00400646",
  "0": "103041453616050110",
  "1": "112026 1636",
  "2": "01103041420646",
  "3": "01103041423323 334445361605",
  "4": "36300444",
  "5": "400002324345361605",
  "6": "413010010516364544331304",
  "7": "004016",
  "8": "103041423313020110 133344453616050413",
  "9": "051636454130100102133342",
  ".": "2626",
  ",": "2617",
  ":": "2323 2626",
  "-": "1434",
  _: "0646",
  "=": "0343 0545",
  "+": "0444 2226",
  "/": "4006",
  "(": "30212536",
  ")": "10212516",
  "'": "2021",
  "!": "2024 2626",
  "?": "011030414224 2626",
};

const unknown = glyphFrom(unknownStrokes);
const glyphs = new Map([
  [" ", space],
  ...Object.entries(strokesOf).map(([character, text]) => [character, glyphFrom(text)] as const),
]);

/** Returns a character's strokes. */
export function glyphOf(character: string): Glyph {
  return glyphs.get(character) ?? unknown;
}

function glyphFrom(text: string): Glyph {
  const strokes = text.split(" ").map((stroke) => stroke.match(/../g)?.map((point) => pointOf(point)) ?? []);
  const xs = strokes.flat().map(([x]) => x);
  const left = Math.min(...xs);
  return {
    strokes: strokes.map((points) => points.map(([x, y]) => [x - left, y] as const)),
    width: Math.max(...xs) - left,
  };
}

function pointOf(digits: string): readonly [number, number] {
  return [Number(digits[0]), Number(digits[1])];
}
