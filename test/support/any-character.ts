import fc from 'fast-check';

/** Any character but half a surrogate pair. The unit `binary` of fast-check costs each process a second. */
export const anyCharacter = fc
  .nat({ max: 0x10_f7_ff })
  .map((place) => String.fromCodePoint(place < 0xd8_00 ? place : place + 0x8_00));
