// The library expects this polyfill to be there before it is loaded, in a bundle too: hence one module that imports both in order.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export const library = x509;
