export const tokensPath = '/core/tokens/';
