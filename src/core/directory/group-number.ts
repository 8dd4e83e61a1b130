/** The id of a group for protocols with numeric group ids: the first five decimal digits of the key. */
export const groupNumber = (pk: string): number =>
  Number(
    BigInt(`0x${pk.replaceAll('-', '')}`)
      .toString()
      .slice(0, 5),
  );
