/**
 * In how many pieces a body may come: each takes time and memory of its own, however short. Honest senders need about
 * 1,500 for the largest body.
 */
export const maxPieces = 10_000;
