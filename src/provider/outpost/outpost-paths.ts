/** Where the processes of outposts reach the server. */
export const reportPath = '/outpost/report/';
export const relayPath = '/outpost/relay/';
export const streamPath = '/outpost/stream/';
/** The protocol that they upgrade to there. */
export const streamProtocol = 'gatehouse-outpost';
