/** The bundler gathers style sheets; a script that imports one gets nothing from it. */
declare module '*.css' {}
