import type { Delivery, DeliveryFate } from './deliveries.ts';

/** Loses this share of all deliveries, which ones the seed alone decides (Park and Miller's generator). */
export function loseShare(share: number, seed: number): (delivery: Delivery) => DeliveryFate {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 < share ? 'drop' : 'send';
  };
}
