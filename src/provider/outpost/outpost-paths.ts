/** Where the processes of outposts reach the server. */
export const reportPath = '/outpost/report/';
export const relayPath = '/outpost/relay/';
