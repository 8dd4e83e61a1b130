// The library requires this polyfill before it is loaded, also in a bundle: hence one module that imports both in
// order.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export const library = x509;
