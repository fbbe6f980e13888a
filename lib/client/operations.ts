/**
 * The operations of the interface as types, made of its OpenAPI document: `npm run docs` renews them, and a test
 * compares them with the routes as they are.
 */
export interface paths {
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Needs no token.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log out
         * @description Needs a valid token; an API key is refused.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the token in use
         * @description Needs a valid token; an API key is refused.
         */
        get: operations["getToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a user with a generated password
         * @description Admins only, by a token; an API key is refused.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all users
         * @description Admins only, by a token; an API key is refused.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/{uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Admins only, by a token; an API key is refused.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description Admins only, by a token; an API key is refused.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Give a user another role
         * @description Admins only, by a token; an API key is refused.
         */
        patch: operations["editUser"];
        trace?: never;
    };
    "/user/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the own account
         * @description Needs a valid token; an API key is refused.
         */
        get: operations["getSelf"];
        put?: never;
        /**
         * Create the first admin, while there is no user
         * @description Needs no token.
         */
        post: operations["createFirstUser"];
        /**
         * Delete the own account
         * @description Needs a valid token; an API key is refused.
         */
        delete: operations["deleteSelf"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/self/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the own name
         * @description Needs a valid token; an API key is refused.
         */
        patch: operations["editSelf"];
        trace?: never;
    };
    "/user/self/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the own password, which ends the other sessions
         * @description At least 8 characters and at most 72 bytes of UTF-8. Needs a valid token; an API key is refused.
         */
        patch: operations["changePassword"];
        trace?: never;
    };
    "/user/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the own tokens
         * @description Needs a valid token; an API key is refused.
         */
        get: operations["listTokens"];
        put?: never;
        post?: never;
        /**
         * Delete all of the own tokens
         * @description Needs a valid token; an API key is refused.
         */
        delete: operations["deleteTokens"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/token/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one of the own tokens
         * @description By its id, as the list of tokens shows it, or by the token itself, which then stands in the URL. Needs a valid token; an API key is refused.
         */
        delete: operations["deleteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the own API keys
         * @description Needs a valid token; an API key is refused.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Make an API key
         * @description The key stands in the answer, this once; a machine sends it as `Authorization: Bearer <key>`. Needs a valid token; an API key is refused.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/key/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of the own API keys
         * @description Needs a valid token; an API key is refused.
         */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of all users
         * @description Admins only, by a token; an API key is refused.
         */
        get: operations["listAllKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/key/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End an API key of any user
         * @description Admins only, by a token; an API key is refused.
         */
        delete: operations["deleteAnyKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/role/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a role
         * @description Needs the permission `cloud.role.create`.
         */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/roles/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all roles
         * @description Needs the permission `cloud.role.list`.
         */
        get: operations["listRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/role/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a role
         * @description Needs the permission `cloud.role.get`.
         */
        get: operations["getRole"];
        put?: never;
        post?: never;
        /**
         * Delete a role
         * @description Needs the permission `cloud.role.delete`.
         */
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        /**
         * Edit a role
         * @description Needs the permission `cloud.role.edit`.
         */
        patch: operations["editRole"];
        trace?: never;
    };
    "/system/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the product version
         * @description Needs the permission `cloud.system.version`.
         */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/information": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what the cloud uses now
         * @description Needs the permission `cloud.system.information`.
         */
        get: operations["getInformation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/information/average": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the average use over a range of time
         * @description Needs the permission `cloud.system.information`.
         */
        get: operations["getAverage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/information/minutes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the use averaged per minute
         * @description Needs the permission `cloud.system.information`.
         */
        get: operations["getMinutes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/information/hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the use averaged per hour
         * @description Needs the permission `cloud.system.information`.
         */
        get: operations["getHours"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/information/days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the use averaged per day
         * @description Needs the permission `cloud.system.information`.
         */
        get: operations["getDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all templates
         * @description Needs the permission `cloud.templates.list`.
         */
        get: operations["listTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/template/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an empty template
         * @description Needs the permission `cloud.templates.create`.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/template/{templateName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a template
         * @description Needs the permission `cloud.templates.delete`.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        /**
         * Rename a template, in the groups that use it as well
         * @description Needs the permission `cloud.templates.edit`.
         */
        patch: operations["renameTemplate"];
        trace?: never;
    };
    "/template/{templateName}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a template
         * @description Needs the permission `cloud.template.files.read`.
         */
        get: operations["listTemplateFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/template/{templateName}/file/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file of a template
         * @description As an attachment. Needs the permission `cloud.template.files.read`.
         */
        get: operations["getTemplateFile"];
        /**
         * Put a file into a template, whole or not at all
         * @description A body of any type is the file. Needs the permission `cloud.template.files.write`.
         */
        put: operations["putTemplateFile"];
        post?: never;
        /**
         * Delete a file of a template
         * @description Needs the permission `cloud.template.files.write`.
         */
        delete: operations["deleteTemplateFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/template/{templateName}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all files of a template as an archive
         * @description A tar.gz. Needs the permission `cloud.template.files.read`.
         */
        get: operations["getTemplateArchive"];
        put?: never;
        /**
         * Take the files of an archive into a template, whole or not at all
         * @description A tar.gz. Ordinary files only: an archive with a link, a device, a set-uid bit or a path that leads elsewhere is refused whole. Needs the permission `cloud.template.files.write`.
         */
        post: operations["unpackTemplateArchive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/services/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the services, or those first started within a range of time
         * @description Needs the permission `cloud.service.count`.
         */
        get: operations["countServices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/services/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all services
         * @description Needs the permission `cloud.service.list`.
         */
        get: operations["listServices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/service/{serviceName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a service
         * @description Needs the permission `cloud.service.list`.
         */
        get: operations["getService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/service/{serviceName}/command": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a line to the console of a service
         * @description Needs the permission `cloud.service.execute`.
         */
        post: operations["sendCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/service/{serviceName}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Restart a service under the same name and port
         * @description Needs the permission `cloud.service.restart`.
         */
        patch: operations["restartService"];
        trace?: never;
    };
    "/player/{playerName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a connected player by name, ignoring case
         * @description Needs the permission `cloud.player.get`.
         */
        get: operations["getPlayer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/players/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the connected players by name, page by page
         * @description Needs the permission `cloud.players.list`.
         */
        get: operations["listPlayers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/group/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the groups, or those made within a range of time
         * @description Needs the permission `cloud.group.count`.
         */
        get: operations["countGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/group/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all groups
         * @description Needs the permission `cloud.group.list`.
         */
        get: operations["listGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the groups, in the envelope
         * @description Needs the permission `cloud.group.count`.
         */
        get: operations["countGroupsEnveloped"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all groups, in the envelope
         * @description Needs the permission `cloud.group.list`.
         */
        get: operations["listGroupsEnveloped"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/group/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a group
         * @description Needs the permission `cloud.group.get`.
         */
        get: operations["getGroup"];
        put?: never;
        post?: never;
        /**
         * Stop all services of a group and remove it
         * @description Needs the permission `cloud.group.delete`.
         */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        /**
         * Change the limits, templates, properties or version of a group
         * @description Needs the permission `cloud.group.edit`.
         */
        patch: operations["editGroup"];
        trace?: never;
    };
    "/group/{name}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get why a group is as it is, and how its services are
         * @description Needs the permission `cloud.group.get`.
         */
        get: operations["getGroupStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/group/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a group
         * @description Needs the permission `cloud.group.create`.
         */
        post: operations["createGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/group/{name}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Restart the services of a group, one after the other
         * @description Needs the permission `cloud.group.restart`.
         */
        patch: operations["restartGroup"];
        trace?: never;
    };
    "/platforms/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all platforms and their versions
         * @description Needs the permission `cloud.platform.list`.
         */
        get: operations["listPlatforms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/terminal/command": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a management command
         * @description Needs the permission `cloud.terminal.command`.
         */
        post: operations["runCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was done, and tried, the newest first
         * @description Needs the permission `cloud.audit.list`.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell that the interface is up
         * @description Needs no token.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether storage and runtime answer, within 2 s
         * @description Needs no token.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what changes, as server-sent events: snapshot, then added, changed and removed
         * @description Needs a valid token or API key.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metrics for Prometheus
         * @description Needs the permission `cloud.metrics`.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Role: {
            id: number;
            label: string;
            hexColor: string;
            default: boolean;
            permissions: string[];
        };
        User: {
            uuid: string;
            username: string;
            role: components["schemas"]["Role"];
            hasChangedPassword: boolean;
            /** @description Milliseconds since the Unix epoch */
            createdAt: number;
        };
        Token: {
            /** @description Can be given to `DELETE /user/token/{token}` in place of the token */
            id: string;
            /** @description Whether it is the one in use */
            current: boolean;
            /** @description The JSON Web Token */
            value: string;
            data: {
                userUUID: string;
                ip: string;
                userAgent: string;
                /** @description Milliseconds since the Unix epoch */
                lastActivity: number;
            };
        };
        NewKey: {
            id: string;
            label: string;
            permissions: string[];
            /** @description From where it is accepted; none: from anywhere */
            addresses: string[];
            /** @description Milliseconds since the Unix epoch */
            expiresAt: number | null;
            /** @description Milliseconds since the Unix epoch */
            createdAt: number;
            /** @description The key itself, which is never shown again */
            key: string;
        };
        Key: {
            id: string;
            label: string;
            permissions: string[];
            /** @description From where it is accepted; none: from anywhere */
            addresses: string[];
            /** @description Milliseconds since the Unix epoch */
            expiresAt: number | null;
            /** @description Milliseconds since the Unix epoch */
            createdAt: number;
            /** @description Milliseconds since the Unix epoch */
            lastUsedAt: number | null;
        };
        OwnedKey: {
            id: string;
            label: string;
            permissions: string[];
            /** @description From where it is accepted; none: from anywhere */
            addresses: string[];
            /** @description Milliseconds since the Unix epoch */
            expiresAt: number | null;
            /** @description Milliseconds since the Unix epoch */
            createdAt: number;
            /** @description Milliseconds since the Unix epoch */
            lastUsedAt: number | null;
            user: {
                uuid: string;
                username: string;
            };
        };
        CountedRole: {
            id: number;
            label: string;
            hexColor: string;
            default: boolean;
            permissions: string[];
            userCount: number;
        };
        Usage: {
            polocloud: number;
            services: number;
            total: number;
        };
        SystemInformation: {
            cpuUsage: components["schemas"]["Usage"];
            memoryUsage: components["schemas"]["Usage"];
            runtime: string;
            uptime: number;
        };
        AverageUsage: {
            avgCpu: components["schemas"]["Usage"];
            avgRam: components["schemas"]["Usage"];
            /** @description Milliseconds since the Unix epoch */
            from: number;
            /** @description Milliseconds since the Unix epoch */
            to: number;
        };
        HistoryPoint: {
            /** @description Milliseconds since the Unix epoch */
            timestamp: number;
            avgCpu: number;
            avgRam: number;
        };
        Template: {
            name: string;
            size: string;
        };
        TemplateFile: {
            path: string;
            size: number;
            mode: string;
            modifiedAt: number;
        };
        /** @enum {string} */
        ServiceState: "ONLINE" | "OFFLINE" | "STARTING" | "STOPPING";
        /** @enum {string} */
        ServiceType: "SERVER" | "PROXY";
        Exit: {
            /** @description Milliseconds since the Unix epoch */
            at: number;
            /** @enum {string} */
            reason: "stopped" | "crashed" | "killed" | "timeout" | "unresponsive" | "unknown";
            code: number | null;
            signal: string | null;
            lastLines: string[];
        };
        Service: {
            name: string;
            state: components["schemas"]["ServiceState"];
            type: components["schemas"]["ServiceType"];
            groupName: string;
            hostname: string;
            port: number;
            templates: components["schemas"]["Template"][];
            properties: {
                [key: string]: string;
            };
            /** @description MB */
            minMemory: number;
            /** @description MB */
            maxMemory: number;
            playerCount: number;
            maxPlayerCount: number;
            playersKnown?: boolean;
            /** @description MB */
            memoryUsage: number;
            /** @description Percent of the whole machine */
            cpuUsage: number;
            motd: string;
            /** @description Milliseconds since the Unix epoch */
            startedAt?: number;
            lastExit?: components["schemas"]["Exit"];
        };
        Player: {
            name: string;
            uuid: string;
            currentServiceName: string;
        };
        Group: {
            name: string;
            /** @description MB */
            minMemory: number;
            /** @description MB */
            maxMemory: number;
            minOnlineService: number;
            maxOnlineService: number;
            platform: {
                name: string;
                version: string;
            };
            /** @description How full the group is when one more service starts; 0 switches this off */
            percentageToStartNewService: number;
            properties: {
                [key: string]: string | number | boolean;
            };
            templates: string[];
            /** @description Milliseconds since the Unix epoch */
            createdAt: number;
        };
        RestartProgress: {
            done: number;
            total: number;
        };
        GroupStatus: {
            /** @description Why the group is as it is, for people */
            reason?: string;
            services: {
                ONLINE: number;
                STARTING: number;
                STOPPING: number;
                OFFLINE: number;
            };
            restart?: components["schemas"]["RestartProgress"];
        };
        Platform: {
            name: string;
            type: components["schemas"]["ServiceType"];
            versions: {
                version: string;
            }[];
        };
        AuditEntry: {
            /** @description Milliseconds since the Unix epoch */
            at: number;
            action: string;
            user: {
                uuid: string;
                username: string;
            } | null;
            key: string | null;
            address: string;
            target: string | null;
            /** @enum {string} */
            outcome: "done" | "refused" | "failed";
            detail: {
                [key: string]: unknown;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "alice",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /** Username */
                    username: string;
                    /** Password */
                    password: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Sets the cookie of the token, or clears it */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body / Username is required / Password is required */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "username_required" | "password_required";
                    };
                };
            };
            /** @description Invalid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_credentials";
                    };
                };
            };
            /** @description Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "forbidden_origin";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed logins */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_logins";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available / Too many passwords are being checked */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable" | "too_many_passwords";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Sets the cookie of the token, or clears it */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "key_not_accepted" | "forbidden_origin";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "token": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl"
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            token: string;
                        };
                    };
                };
            };
            /** @description No token found / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "key_not_accepted";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "alice",
                 *       "roleId": 0
                 *     }
                 */
                "application/json": {
                    /** Username */
                    username: string;
                    /**
                     * Role ID
                     * @description Default 0
                     */
                    roleId?: number;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "data": {
                     *         "password": "correct horse battery staple"
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            password: string;
                        };
                    };
                };
            };
            /** @description Invalid body / Username is required / Username is invalid / Role ID is invalid / Username already exists */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "username_required" | "username_invalid" | "role_id_invalid" | "username_taken";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "key_not_accepted" | "forbidden_origin";
                    };
                };
            };
            /** @description Role not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "role_not_found";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys / Too many changes */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_changes";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available / Too many passwords are being checked */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable" | "too_many_passwords";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e",
                     *           "username": "alice",
                     *           "role": {
                     *             "id": 1,
                     *             "label": "Builder",
                     *             "hexColor": "#3366FF",
                     *             "default": false,
                     *             "permissions": [
                     *               "cloud.service.list",
                     *               "cloud.templates.edit"
                     *             ]
                     *           },
                     *           "hasChangedPassword": true,
                     *           "createdAt": 1767225600000
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["User"][];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "key_not_accepted";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e",
                     *         "username": "alice",
                     *         "role": {
                     *           "id": 1,
                     *           "label": "Builder",
                     *           "hexColor": "#3366FF",
                     *           "default": false,
                     *           "permissions": [
                     *             "cloud.service.list",
                     *             "cloud.templates.edit"
                     *           ]
                     *         },
                     *         "hasChangedPassword": true,
                     *         "createdAt": 1767225600000
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["User"];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "key_not_accepted";
                    };
                };
            };
            /** @description User not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "user_not_found";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    /** @description Sets the cookie of the token, or clears it */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin / The last admin cannot be removed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "key_not_accepted" | "forbidden_origin" | "last_admin";
                    };
                };
            };
            /** @description User not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "user_not_found";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    editUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e",
                 *       "roleId": 0
                 *     }
                 */
                "application/json": {
                    /** UUID */
                    uuid: string;
                    /** Role ID */
                    roleId: number;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body / UUID is required / Role ID is required */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "uuid_required" | "role_id_required";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin / You cannot assign the admin role / The last admin cannot be removed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "key_not_accepted" | "forbidden_origin" | "cannot_assign_admin" | "last_admin";
                    };
                };
            };
            /** @description User not found / Role not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "user_not_found" | "role_not_found";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys / Too many changes */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_changes";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getSelf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e",
                     *         "username": "alice",
                     *         "role": {
                     *           "id": 1,
                     *           "label": "Builder",
                     *           "hexColor": "#3366FF",
                     *           "default": false,
                     *           "permissions": [
                     *             "cloud.service.list",
                     *             "cloud.templates.edit"
                     *           ]
                     *         },
                     *         "hasChangedPassword": true,
                     *         "createdAt": 1767225600000
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["User"];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "key_not_accepted";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    createFirstUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "alice",
                 *       "password": "correct horse battery staple",
                 *       "roleId": -1
                 *     }
                 */
                "application/json": {
                    /** Username */
                    username: string;
                    /** Password */
                    password: string;
                    /**
                     * Role ID
                     * @description -1, the admin role
                     * @enum {number}
                     */
                    roleId?: -1;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description Sets the cookie of the token, or clears it */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body / Username is required / Password is required / Role ID must be -1 / Username is invalid / Password is invalid / Password must have at least 8 characters / Password is too long / A user already exists */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "username_required" | "password_required" | "role_id_invalid" | "username_invalid" | "password_invalid" | "password_too_short" | "password_too_long" | "user_exists";
                    };
                };
            };
            /** @description Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "forbidden_origin";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available / Too many passwords are being checked */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable" | "too_many_passwords";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    deleteSelf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    /** @description Sets the cookie of the token, or clears it */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin / The last admin cannot be removed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "key_not_accepted" | "forbidden_origin" | "last_admin";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    editSelf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "alice"
                 *     }
                 */
                "application/json": {
                    /** Username */
                    username: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body / Username is required / Username is invalid / Username already exists */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "username_required" | "username_invalid" | "username_taken";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "key_not_accepted" | "forbidden_origin";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys / Too many changes */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_changes";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /** Password */
                    password: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body / Password is required / Password is invalid / Password must have at least 8 characters / Password is too long / Password must be a new one */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "password_required" | "password_invalid" | "password_too_short" | "password_too_long" | "password_not_new";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "key_not_accepted" | "forbidden_origin";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys / Password is being changed already */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "password_change_under_way";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available / Too many passwords are being checked */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable" | "too_many_passwords";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "id": "8f14e45fceea",
                     *           "current": true,
                     *           "value": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl",
                     *           "data": {
                     *             "userUUID": "0f8fad5b-d9cb-469f-a165-70867728950e",
                     *             "ip": "192.0.2.7",
                     *             "userAgent": "curl/8.5.0",
                     *             "lastActivity": 1767225600000
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Token"][];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "key_not_accepted";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    deleteTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    /** @description Sets the cookie of the token, or clears it */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "key_not_accepted" | "forbidden_origin";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    deleteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    /** @description Sets the cookie of the token, or clears it */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "key_not_accepted" | "forbidden_origin";
                    };
                };
            };
            /** @description Token not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "token_not_found";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "id": "q2d7nlvbkm5x",
                     *           "label": "haproxy",
                     *           "permissions": [
                     *             "cloud.service.list"
                     *           ],
                     *           "addresses": [
                     *             "192.0.2.0/24"
                     *           ],
                     *           "expiresAt": null,
                     *           "createdAt": 1767225600000,
                     *           "lastUsedAt": 1767225600000
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Key"][];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "key_not_accepted";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Builder",
                 *       "permissions": [
                 *         "cloud.service.list"
                 *       ],
                 *       "addresses": [
                 *         "192.0.2.0/24"
                 *       ],
                 *       "expiresAt": 1767225600000
                 *     }
                 */
                "application/json": {
                    /** Key label */
                    label: string;
                    /**
                     * Key permissions
                     * @description Of those that the owner holds
                     */
                    permissions: string[];
                    /**
                     * Key addresses
                     * @description From where it is accepted: addresses and networks such as 192.0.2.0/24; none: from anywhere
                     */
                    addresses?: string[];
                    /**
                     * Key expiresAt
                     * @description Milliseconds since the Unix epoch, in the future; absent: it does not expire
                     */
                    expiresAt?: number;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "data": {
                     *         "id": "q2d7nlvbkm5x",
                     *         "label": "haproxy",
                     *         "permissions": [
                     *           "cloud.service.list"
                     *         ],
                     *         "addresses": [
                     *           "192.0.2.0/24"
                     *         ],
                     *         "expiresAt": null,
                     *         "createdAt": 1767225600000,
                     *         "key": "fc_q2d7nlvbkm5x_0000000000000000000000000000000000000000"
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["NewKey"];
                    };
                };
            };
            /** @description Invalid body / Key label is required / Key label is invalid / Key permissions is required / Key permissions is invalid / Key addresses is invalid / Key expiresAt is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "key_label_required" | "key_label_invalid" | "key_permissions_required" | "key_permissions_invalid" | "key_addresses_invalid" | "key_expires_at_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin / You cannot assign * permission / You cannot assign a permission you do not hold */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "key_not_accepted" | "forbidden_origin" | "cannot_assign_everything" | "cannot_assign_unheld";
                    };
                };
            };
            /** @description Too many keys */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_keys";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys / Too many changes */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_changes";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "key_not_accepted" | "forbidden_origin";
                    };
                };
            };
            /** @description Key not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "key_not_found";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listAllKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "id": "q2d7nlvbkm5x",
                     *           "label": "haproxy",
                     *           "permissions": [
                     *             "cloud.service.list"
                     *           ],
                     *           "addresses": [
                     *             "192.0.2.0/24"
                     *           ],
                     *           "expiresAt": null,
                     *           "createdAt": 1767225600000,
                     *           "lastUsedAt": null,
                     *           "user": {
                     *             "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e",
                     *             "username": "alice"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["OwnedKey"][];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "key_not_accepted";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    deleteAnyKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "key_not_accepted" | "forbidden_origin";
                    };
                };
            };
            /** @description Key not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "key_not_found";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Builder",
                 *       "hexColor": "#3366FF",
                 *       "permissions": [
                 *         "cloud.service.list"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** Role label */
                    label: string;
                    /**
                     * Role hexColor
                     * @description #RGB or #RRGGBB
                     */
                    hexColor: string;
                    /** Role permissions */
                    permissions?: string[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "data": {
                     *         "id": 1,
                     *         "label": "Builder",
                     *         "hexColor": "#3366FF",
                     *         "default": false,
                     *         "permissions": [
                     *           "cloud.service.list",
                     *           "cloud.templates.edit"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Role"];
                    };
                };
            };
            /** @description Invalid body / Role label is required / Role label is invalid / Role hexColor is required / Role hexColor is invalid / Role permissions is invalid / Role already exists / Role permissions are too many to fit into a token */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "role_label_required" | "role_label_invalid" | "role_hex_color_required" | "role_hex_color_invalid" | "role_permissions_invalid" | "role_taken" | "role_too_large";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin / You cannot assign * permission / You cannot assign a permission you do not hold */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin" | "cannot_assign_everything" | "cannot_assign_unheld";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys / Too many changes */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_changes";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "id": 1,
                     *           "label": "Builder",
                     *           "hexColor": "#3366FF",
                     *           "default": false,
                     *           "permissions": [
                     *             "cloud.service.list",
                     *             "cloud.templates.edit"
                     *           ],
                     *           "userCount": 2
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["CountedRole"][];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "id": 1,
                     *         "label": "Builder",
                     *         "hexColor": "#3366FF",
                     *         "default": false,
                     *         "permissions": [
                     *           "cloud.service.list",
                     *           "cloud.templates.edit"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Role"];
                    };
                };
            };
            /** @description Invalid role ID */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "role_id_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Role not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "role_not_found";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    deleteRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body / Invalid role ID */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "role_id_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Role not found / Default roles cannot be deleted / Role is held by users and cannot be deleted */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "role_not_found" | "default_role" | "role_held";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error / Failed to delete role */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "role_deletion_failed";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    editRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Builder",
                 *       "hexColor": "#3366FF",
                 *       "permissions": [
                 *         "cloud.service.list"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** Role label */
                    label: string;
                    /**
                     * Role hexColor
                     * @description #RGB or #RRGGBB
                     */
                    hexColor: string;
                    /** Role permissions */
                    permissions?: string[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "id": 1,
                     *         "label": "Builder",
                     *         "hexColor": "#3366FF",
                     *         "default": false,
                     *         "permissions": [
                     *           "cloud.service.list",
                     *           "cloud.templates.edit"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Role"];
                    };
                };
            };
            /** @description Invalid body / Invalid role ID / Role label is required / Role label is invalid / Role hexColor is required / Role hexColor is invalid / Role permissions is invalid / Role already exists / Role permissions are too many to fit into a token */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "role_id_invalid" | "role_label_required" | "role_label_invalid" | "role_hex_color_required" | "role_hex_color_invalid" | "role_permissions_invalid" | "role_taken" | "role_too_large";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin / You cannot assign * permission / You cannot assign a permission you do not hold / The admin role cannot be changed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin" | "cannot_assign_everything" | "cannot_assign_unheld" | "admin_role_fixed";
                    };
                };
            };
            /** @description Role not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "role_not_found";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys / Too many changes */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_changes";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "version": "latest"
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            version: string;
                        };
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getInformation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "cpuUsage": {
                     *           "polocloud": 1.5,
                     *           "services": 20.5,
                     *           "total": 22
                     *         },
                     *         "memoryUsage": {
                     *           "polocloud": 1.5,
                     *           "services": 20.5,
                     *           "total": 22
                     *         },
                     *         "runtime": "Node.js v20.20.2",
                     *         "uptime": 86400000
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["SystemInformation"];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getAverage: {
        parameters: {
            query?: {
                /** @description Milliseconds since the Unix epoch */
                from?: number;
                /** @description Milliseconds since the Unix epoch */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "avgCpu": {
                     *           "polocloud": 1.5,
                     *           "services": 20.5,
                     *           "total": 22
                     *         },
                     *         "avgRam": {
                     *           "polocloud": 1.5,
                     *           "services": 20.5,
                     *           "total": 22
                     *         },
                     *         "from": 0,
                     *         "to": 1767225600000
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["AverageUsage"];
                    };
                };
            };
            /** @description Invalid range */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "range_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getMinutes: {
        parameters: {
            query?: {
                /** @description Milliseconds since the Unix epoch */
                from?: number;
                /** @description Milliseconds since the Unix epoch */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "timestamp": 1767225600000,
                     *           "avgCpu": 22,
                     *           "avgRam": 2048
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["HistoryPoint"][];
                    };
                };
            };
            /** @description Invalid range */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "range_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getHours: {
        parameters: {
            query?: {
                /** @description Milliseconds since the Unix epoch */
                from?: number;
                /** @description Milliseconds since the Unix epoch */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "timestamp": 1767225600000,
                     *           "avgCpu": 22,
                     *           "avgRam": 2048
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["HistoryPoint"][];
                    };
                };
            };
            /** @description Invalid range */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "range_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getDays: {
        parameters: {
            query?: {
                /** @description Milliseconds since the Unix epoch */
                from?: number;
                /** @description Milliseconds since the Unix epoch */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "timestamp": 1767225600000,
                     *           "avgCpu": 22,
                     *           "avgRam": 2048
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["HistoryPoint"][];
                    };
                };
            };
            /** @description Invalid range */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "range_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Of the list as it is, where the runtime numbers its lists; for `If-None-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "name": "lobby",
                     *           "size": "unknown"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Template"][];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "lobby"
                 *     }
                 */
                "application/json": {
                    /** Template name */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body / Template name is required / Template name is invalid / Template already exists / System templates cannot be created, renamed or deleted */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "template_name_required" | "template_name_invalid" | "template_taken" | "system_template";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error / Unsupported template runtime */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "unsupported_templates";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
            /** @description Not enough space for templates */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "templates_full";
                    };
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                templateName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body / Template could not be found / Template is in use / System templates cannot be created, renamed or deleted */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "template_not_found" | "template_in_use" | "system_template";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error / Unsupported template runtime */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "unsupported_templates";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    renameTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                templateName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "lobby"
                 *     }
                 */
                "application/json": {
                    /** Template name */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body / Template name is required / Template name is invalid / Group properties and templates are too many to be kept / Template could not be found / Template already exists / System templates cannot be created, renamed or deleted */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "template_name_required" | "template_name_invalid" | "group_too_large" | "template_not_found" | "template_taken" | "system_template";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Group was changed by hand and has to be mended there first */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_damaged";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error / Unsupported template runtime */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "unsupported_templates";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listTemplateFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                templateName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "path": "plugins/motd/config.yml",
                     *           "size": 120,
                     *           "mode": "0644",
                     *           "modifiedAt": 1767225600000
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["TemplateFile"][];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Template not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_not_found";
                    };
                };
            };
            /** @description Too many failed keys / Too many downloads */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_downloads";
                    };
                };
            };
            /** @description Internal Server Error / Unsupported template runtime */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "unsupported_templates";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getTemplateFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                templateName: string;
                /** @description Of the file, from the template on, with `/` between names */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/octet-stream": string;
                };
            };
            /** @description Template file ../server.jar leads out of the template */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_file_refused";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Template not found / File not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_not_found" | "template_file_not_found";
                    };
                };
            };
            /** @description Too many failed keys / Too many downloads */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_downloads";
                    };
                };
            };
            /** @description Internal Server Error / Unsupported template runtime */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "unsupported_templates";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    putTemplateFile: {
        parameters: {
            query?: {
                /** @description Its rights, `0755` for instance. Default: those of the file that it replaces, else `0644` */
                mode?: string;
            };
            header?: never;
            path: {
                templateName: string;
                /** @description Of the file, from the template on, with `/` between names */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Template file mode is invalid / Template file ../server.jar leads out of the template */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_file_mode_invalid" | "template_file_refused";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Template not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_not_found";
                    };
                };
            };
            /** @description Upload stalled */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "upload_stalled";
                    };
                };
            };
            /** @description Template file is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_file_too_large";
                    };
                };
            };
            /** @description Too many failed keys / Too many uploads */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_uploads";
                    };
                };
            };
            /** @description Internal Server Error / Unsupported template runtime */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "unsupported_templates";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
            /** @description Not enough space for templates */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "templates_full";
                    };
                };
            };
        };
    };
    deleteTemplateFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                templateName: string;
                /** @description Of the file, from the template on, with `/` between names */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body / Template file ../server.jar leads out of the template */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "template_file_refused";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Template not found / File not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_not_found" | "template_file_not_found";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error / Unsupported template runtime */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "unsupported_templates";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getTemplateArchive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                templateName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Template not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_not_found";
                    };
                };
            };
            /** @description Too many failed keys / Too many downloads */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_downloads";
                    };
                };
            };
            /** @description Internal Server Error / Unsupported template runtime */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "unsupported_templates";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    unpackTemplateArchive: {
        parameters: {
            query?: {
                /** @description `true`: the template has these files then, and no others. Default `false` */
                replace?: string;
            };
            header?: never;
            path: {
                templateName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "added": 1,
                     *         "replaced": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            added: number;
                            replaced: number;
                        };
                    };
                };
            };
            /** @description Replace is invalid / Template file ../server.jar leads out of the template / Template archive is no whole tar.gz */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "replace_invalid" | "template_file_refused" | "template_archive_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Template not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_not_found";
                    };
                };
            };
            /** @description Upload stalled */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "upload_stalled";
                    };
                };
            };
            /** @description Template archive is too large at world/region/r.0.0.mca / Template file world/region/r.0.0.mca is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "template_archive_too_large" | "template_file_too_large";
                    };
                };
            };
            /** @description Too many failed keys / Too many uploads */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_uploads";
                    };
                };
            };
            /** @description Internal Server Error / Unsupported template runtime */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error" | "unsupported_templates";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
            /** @description Not enough space for templates */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "templates_full";
                    };
                };
            };
        };
    };
    countServices: {
        parameters: {
            query?: {
                /** @description Milliseconds since the Unix epoch */
                from?: number;
                /** @description Milliseconds since the Unix epoch */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "serviceCount": 1,
                     *         "percentage": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            serviceCount: number;
                            percentage?: number;
                        };
                    };
                };
            };
            /** @description Invalid range */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "range_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listServices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Of the list as it is, where the runtime numbers its lists; for `If-None-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "name": "lobby-1",
                     *           "state": "ONLINE",
                     *           "type": "SERVER",
                     *           "groupName": "lobby",
                     *           "hostname": "127.0.0.1",
                     *           "port": 25566,
                     *           "templates": [
                     *             {
                     *               "name": "lobby",
                     *               "size": "unknown"
                     *             }
                     *           ],
                     *           "properties": {
                     *             "fallback": "true"
                     *           },
                     *           "minMemory": 512,
                     *           "maxMemory": 1024,
                     *           "playerCount": 3,
                     *           "maxPlayerCount": 20,
                     *           "memoryUsage": 410,
                     *           "cpuUsage": 12.5,
                     *           "motd": "Welcome",
                     *           "startedAt": 1767225600000,
                     *           "lastExit": {
                     *             "at": 1767225600000,
                     *             "reason": "crashed",
                     *             "code": 1,
                     *             "signal": null,
                     *             "lastLines": [
                     *               "java.lang.OutOfMemoryError: Java heap space"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Service"][];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "name": "lobby-1",
                     *         "state": "ONLINE",
                     *         "type": "SERVER",
                     *         "groupName": "lobby",
                     *         "hostname": "127.0.0.1",
                     *         "port": 25566,
                     *         "templates": [
                     *           {
                     *             "name": "lobby",
                     *             "size": "unknown"
                     *           }
                     *         ],
                     *         "properties": {
                     *           "fallback": "true"
                     *         },
                     *         "minMemory": 512,
                     *         "maxMemory": 1024,
                     *         "playerCount": 3,
                     *         "maxPlayerCount": 20,
                     *         "memoryUsage": 410,
                     *         "cpuUsage": 12.5,
                     *         "motd": "Welcome",
                     *         "startedAt": 1767225600000,
                     *         "lastExit": {
                     *           "at": 1767225600000,
                     *           "reason": "crashed",
                     *           "code": 1,
                     *           "signal": null,
                     *           "lastLines": [
                     *             "java.lang.OutOfMemoryError: Java heap space"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Service"];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Service not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "service_not_found";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    sendCommand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "service list"
                 *     }
                 */
                "application/json": {
                    /** Command */
                    command: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body / Command is required / Command is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "command_required" | "command_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Service not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "service_not_found";
                    };
                };
            };
            /** @description Service is not running */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "service_not_running";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Unsupported service runtime */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_service_control";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available / Service is not reading commands */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable" | "service_not_reading";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    restartService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Service not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "service_not_found";
                    };
                };
            };
            /** @description Group was changed by hand and has to be mended there first */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_damaged";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Unsupported service runtime */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_service_control";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                playerName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "name": "lobby",
                     *         "uniqueId": "069a79f4-44e9-4726-a5be-fca90e38aaf5",
                     *         "currentServiceName": "lobby-1"
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            name: string;
                            uniqueId: string;
                            currentServiceName: string;
                        };
                    };
                };
            };
            /** @description Player name cannot be null or empty */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "player_name_required";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Player not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "player_not_found";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listPlayers: {
        parameters: {
            query?: {
                /** @description Default 1 */
                page?: number;
                /** @description Default 20 */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Of the list as it is, where the runtime numbers its lists; for `If-None-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": 1,
                     *       "size": 20,
                     *       "total": 1,
                     *       "totalPages": 1,
                     *       "data": [
                     *         {
                     *           "name": "Notch",
                     *           "uuid": "069a79f4-44e9-4726-a5be-fca90e38aaf5",
                     *           "currentServiceName": "lobby-1"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        page: number;
                        size: number;
                        total: number;
                        totalPages: number;
                        data: components["schemas"]["Player"][];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid pagination parameters */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "pagination_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    countGroups: {
        parameters: {
            query?: {
                /** @description Milliseconds since the Unix epoch */
                from?: number;
                /** @description Milliseconds since the Unix epoch */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "groupCount": 1,
                     *       "percentage": 1
                     *     }
                     */
                    "application/json": {
                        groupCount: number;
                        percentage: number;
                    };
                };
            };
            /** @description Invalid range */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "range_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listGroups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Of the list as it is, where the runtime numbers its lists; for `If-None-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "lobby",
                     *         "minMemory": 512,
                     *         "maxMemory": 1024,
                     *         "minOnlineService": 1,
                     *         "maxOnlineService": 4,
                     *         "platform": {
                     *           "name": "limbo",
                     *           "version": "latest"
                     *         },
                     *         "percentageToStartNewService": 80,
                     *         "properties": {
                     *           "fallback": true,
                     *           "static": false
                     *         },
                     *         "templates": [
                     *           "lobby"
                     *         ],
                     *         "createdAt": 1767225600000
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Group"][];
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    countGroupsEnveloped: {
        parameters: {
            query?: {
                /** @description Milliseconds since the Unix epoch */
                from?: number;
                /** @description Milliseconds since the Unix epoch */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "groupCount": 1,
                     *         "percentage": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            groupCount: number;
                            percentage: number;
                        };
                    };
                };
            };
            /** @description Invalid range */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "range_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listGroupsEnveloped: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Of the list as it is, where the runtime numbers its lists; for `If-None-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "name": "lobby",
                     *           "minMemory": 512,
                     *           "maxMemory": 1024,
                     *           "minOnlineService": 1,
                     *           "maxOnlineService": 4,
                     *           "platform": {
                     *             "name": "limbo",
                     *             "version": "latest"
                     *           },
                     *           "percentageToStartNewService": 80,
                     *           "properties": {
                     *             "fallback": true,
                     *             "static": false
                     *           },
                     *           "templates": [
                     *             "lobby"
                     *           ],
                     *           "createdAt": 1767225600000
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Group"][];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "lobby",
                     *       "minMemory": 512,
                     *       "maxMemory": 1024,
                     *       "minOnlineService": 1,
                     *       "maxOnlineService": 4,
                     *       "platform": {
                     *         "name": "limbo",
                     *         "version": "latest"
                     *       },
                     *       "percentageToStartNewService": 80,
                     *       "properties": {
                     *         "fallback": true,
                     *         "static": false
                     *       },
                     *       "templates": [
                     *         "lobby"
                     *       ],
                     *       "createdAt": 1767225600000
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Group not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_not_found";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    deleteGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Group not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_not_found";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Unsupported group runtime */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_group_control";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    editGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "minMemory": 512,
                 *       "maxMemory": 1024,
                 *       "minOnlineService": 1,
                 *       "maxOnlineService": 4,
                 *       "percentageToStartNewService": 80,
                 *       "properties": {
                 *         "fallback": true
                 *       },
                 *       "templates": [
                 *         "lobby"
                 *       ],
                 *       "platform": {
                 *         "name": "limbo",
                 *         "version": "latest"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * Group minMemory
                     * @description MB
                     */
                    minMemory?: number;
                    /**
                     * Group maxMemory
                     * @description MB
                     */
                    maxMemory?: number;
                    /**
                     * Group minOnlineService
                     * @description Services that are always online
                     */
                    minOnlineService?: number;
                    /**
                     * Group maxOnlineService
                     * @description Services that there are at most
                     */
                    maxOnlineService?: number;
                    /**
                     * Group percentageToStartNewService
                     * @description 0 to 100; 0 switches it off
                     */
                    percentageToStartNewService?: number;
                    /**
                     * Group properties
                     * @description Replaced whole
                     */
                    properties?: {
                        [key: string]: string | number | boolean;
                    };
                    /**
                     * Group templates
                     * @description Replaced whole
                     */
                    templates?: string[];
                    /** Group platform */
                    platform?: {
                        /**
                         * Group platform.name
                         * @description Cannot become another
                         */
                        name?: string;
                        /** Group platform.version */
                        version: string;
                    };
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "name": "lobby",
                     *         "minMemory": 512,
                     *         "maxMemory": 1024,
                     *         "minOnlineService": 1,
                     *         "maxOnlineService": 4,
                     *         "platform": {
                     *           "name": "limbo",
                     *           "version": "latest"
                     *         },
                     *         "percentageToStartNewService": 80,
                     *         "properties": {
                     *           "fallback": true,
                     *           "static": false
                     *         },
                     *         "templates": [
                     *           "lobby"
                     *         ],
                     *         "createdAt": 1767225600000
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Group"];
                    };
                };
            };
            /** @description Invalid body / Group minMemory is invalid / Group minMemory must be an integer / Group minMemory must not be negative / Group maxMemory is invalid / Group maxMemory must be an integer / Group maxMemory must not be negative / Group minMemory must not be greater than maxMemory / Group minOnlineService is invalid / Group minOnlineService must be an integer / Group minOnlineService must not be negative / Group maxOnlineService is invalid / Group maxOnlineService must be an integer / Group maxOnlineService must not be negative / Group minOnlineService must not be greater than maxOnlineService / Group percentageToStartNewService is invalid / Group percentageToStartNewService must be between 0 and 100 / Group properties is invalid / Group properties.fallback is invalid / Group properties.static is invalid / Group templates is invalid / Group platform is invalid / Group platform.name is invalid / Group platform.version is required / Group properties.<name> is not what the platform can read / Group properties and templates are too many to be kept / Group platform.name cannot be changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "group_min_memory_invalid" | "group_max_memory_invalid" | "group_min_memory_above_max_memory" | "group_min_online_service_invalid" | "group_max_online_service_invalid" | "group_min_online_service_above_max_online_service" | "group_percentage_to_start_new_service_invalid" | "group_properties_invalid" | "group_templates_invalid" | "group_platform_invalid" | "group_platform_name_invalid" | "group_platform_version_required" | "group_too_large" | "group_platform_name_fixed";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Group not found / Platform not found / Platform version not found / Template not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_not_found" | "platform_not_found" | "platform_version_not_found" | "template_not_found";
                    };
                };
            };
            /** @description Group was changed by hand and has to be mended there first */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_damaged";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Unsupported group runtime */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_group_control";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
            /** @description Not enough space for templates */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "templates_full";
                    };
                };
            };
        };
    };
    getGroupStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "reason": "starting one more",
                     *         "services": {
                     *           "ONLINE": 2,
                     *           "STARTING": 1,
                     *           "STOPPING": 0,
                     *           "OFFLINE": 0
                     *         },
                     *         "restart": {
                     *           "done": 1,
                     *           "total": 3
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["GroupStatus"];
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Group not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_not_found";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    createGroup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "lobby",
                 *       "minMemory": 512,
                 *       "maxMemory": 1024,
                 *       "minOnlineService": 1,
                 *       "maxOnlineService": 4,
                 *       "platform": {
                 *         "name": "limbo",
                 *         "version": "latest"
                 *       },
                 *       "percentageToStartNewService": 80,
                 *       "properties": {
                 *         "fallback": true
                 *       },
                 *       "templates": [
                 *         "lobby"
                 *       ],
                 *       "createdAt": 1767225600000
                 *     }
                 */
                "application/json": {
                    /** Group name */
                    name: string;
                    /**
                     * Group minMemory
                     * @description MB
                     */
                    minMemory: number;
                    /**
                     * Group maxMemory
                     * @description MB
                     */
                    maxMemory: number;
                    /**
                     * Group minOnlineService
                     * @description Services that are always online
                     */
                    minOnlineService: number;
                    /**
                     * Group maxOnlineService
                     * @description Services that there are at most
                     */
                    maxOnlineService: number;
                    /** Group platform.name */
                    platform: {
                        /** Group platform.name */
                        name: string;
                        /** Group platform.version */
                        version: string;
                    };
                    /**
                     * Group percentageToStartNewService
                     * @description 0 to 100; 0 switches it off
                     */
                    percentageToStartNewService: number;
                    /** Group properties */
                    properties: {
                        [key: string]: string | number | boolean;
                    };
                    /** Group templates */
                    templates?: string[];
                    /**
                     * Group createdAt
                     * @description Milliseconds since the Unix epoch
                     */
                    createdAt?: number;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "data": {
                     *         "name": "lobby",
                     *         "minMemory": 512,
                     *         "maxMemory": 1024,
                     *         "minOnlineService": 1,
                     *         "maxOnlineService": 4,
                     *         "platform": {
                     *           "name": "limbo",
                     *           "version": "latest"
                     *         },
                     *         "percentageToStartNewService": 80,
                     *         "properties": {
                     *           "fallback": true,
                     *           "static": false
                     *         },
                     *         "templates": [
                     *           "lobby"
                     *         ],
                     *         "createdAt": 1767225600000
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Group"];
                    };
                };
            };
            /** @description Invalid body / Group name is required / Group name is invalid / Group minMemory is required / Group minMemory must be an integer / Group minMemory must not be negative / Group maxMemory is required / Group maxMemory must be an integer / Group maxMemory must not be negative / Group minMemory must not be greater than maxMemory / Group minOnlineService is required / Group minOnlineService must be an integer / Group minOnlineService must not be negative / Group maxOnlineService is required / Group maxOnlineService must be an integer / Group maxOnlineService must not be negative / Group minOnlineService must not be greater than maxOnlineService / Group platform.name is required / Group platform.version is required / Group percentageToStartNewService is required / Group percentageToStartNewService must be between 0 and 100 / Group properties is required / Group properties is invalid / Group properties.fallback is invalid / Group properties.static is invalid / Group templates is invalid / Group createdAt is invalid / Group properties.<name> is not what the platform can read / Group properties and templates are too many to be kept */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "group_name_required" | "group_name_invalid" | "group_min_memory_required" | "group_min_memory_invalid" | "group_max_memory_required" | "group_max_memory_invalid" | "group_min_memory_above_max_memory" | "group_min_online_service_required" | "group_min_online_service_invalid" | "group_max_online_service_required" | "group_max_online_service_invalid" | "group_min_online_service_above_max_online_service" | "group_platform_name_required" | "group_platform_version_required" | "group_percentage_to_start_new_service_required" | "group_percentage_to_start_new_service_invalid" | "group_properties_required" | "group_properties_invalid" | "group_templates_invalid" | "group_created_at_invalid" | "group_too_large";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Platform not found / Platform version not found / Template not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "platform_not_found" | "platform_version_not_found" | "template_not_found";
                    };
                };
            };
            /** @description Group already exists */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_taken";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Unsupported group runtime */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_group_control";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
            /** @description Not enough space for templates */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "templates_full";
                    };
                };
            };
        };
    };
    restartGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Invalid body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Group not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_not_found";
                    };
                };
            };
            /** @description Group was changed by hand and has to be mended there first */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_damaged";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Unsupported group runtime */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_group_control";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listPlatforms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Of the list as it is, where the runtime numbers its lists; for `If-None-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": [
                     *         {
                     *           "name": "limbo",
                     *           "type": "SERVER",
                     *           "versions": [
                     *             {
                     *               "version": "latest"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: components["schemas"]["Platform"][];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    runCommand: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "service list"
                 *     }
                 */
                "application/json": {
                    /** Command */
                    command: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "data": {
                     *         "output": [
                     *           "lobby-1 ONLINE 127.0.0.1:25566 3/20 players"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            output: string[];
                        };
                    };
                };
            };
            /** @description Invalid body / Command is required / Command is invalid / The usage of the command / Unknown command. Usage: help / What the terminal of the runtime says / Service <name> is already running / Group <name> already has its maximum of services / No port is left for another service of <name> / Group name is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "invalid_body" | "command_required" | "command_invalid" | "command_usage" | "unknown_command" | "command_refused" | "service_already_running" | "group_at_maximum" | "no_port_left" | "group_name_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden / Forbidden origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden" | "forbidden_origin";
                    };
                };
            };
            /** @description Service not found / Group not found / There is no platform / Platform not found / Platform version not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "service_not_found" | "group_not_found" | "platform_not_found" | "platform_version_not_found";
                    };
                };
            };
            /** @description Group was changed by hand and has to be mended there first / Group already exists */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "group_damaged" | "group_taken";
                    };
                };
            };
            /** @description Body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "body_too_large";
                    };
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Unsupported service runtime / Unsupported group runtime */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_service_control" | "unsupported_group_control";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Milliseconds since the Unix epoch */
                from?: number;
                /** @description Milliseconds since the Unix epoch */
                to?: number;
                /** @description A uuid or a name */
                user?: string;
                /** @description For instance `login.failed` */
                action?: string;
                /** @description Default 1 */
                page?: number;
                /** @description Default 20 */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "page": 1,
                     *         "size": 20,
                     *         "total": 1,
                     *         "totalPages": 1,
                     *         "entries": [
                     *           {
                     *             "at": 1767225600000,
                     *             "action": "group.created",
                     *             "user": {
                     *               "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e",
                     *               "username": "alice"
                     *             },
                     *             "key": null,
                     *             "address": "192.0.2.7",
                     *             "target": "lobby",
                     *             "outcome": "done",
                     *             "detail": {}
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            page: number;
                            size: number;
                            total: number;
                            totalPages: number;
                            entries: components["schemas"]["AuditEntry"][];
                        };
                    };
                };
            };
            /** @description Invalid range / User is invalid / Action is invalid / Invalid pagination parameters */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "range_invalid" | "user_invalid" | "action_invalid" | "pagination_invalid";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "data": {
                     *         "storage": "ok",
                     *         "runtime": "ok"
                     *       }
                     *     }
                     */
                    "application/json": {
                        status: number;
                        message?: string;
                        data: {
                            /** @enum {string} */
                            storage: "ok" | "away";
                            /** @enum {string} */
                            runtime: "ok" | "away";
                        };
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available / Not ready */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable" | "not_ready";
                        data?: {
                            /** @enum {string} */
                            storage: "ok" | "away";
                            /** @enum {string} */
                            runtime: "ok" | "away";
                        };
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description Some of services, groups, players, platforms, templates, with commas between them. Default: all that the caller may list */
                topics?: string;
                /** @description The id of the last event; what came after it follows. A header Last-Event-ID counts before it */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Unknown topic */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unknown_topic";
                    };
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys / Too many sockets */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys" | "too_many_sockets" | "too_many_sockets_of_user";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available / Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable" | "service_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Missing token / Invalid or expired token / Invalid or expired key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "missing_token" | "invalid_token" | "invalid_key";
                    };
                };
            };
            /** @description Password change required / Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "password_change_required" | "forbidden";
                    };
                };
            };
            /** @description Too many failed keys */
            429: {
                headers: {
                    /** @description Seconds after which to try again, where that is known */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "too_many_failed_keys";
                    };
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "internal_server_error";
                    };
                };
            };
            /** @description Unsupported metrics */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "unsupported_metrics";
                    };
                };
            };
            /** @description Runtime gave an invalid answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_answer_invalid";
                    };
                };
            };
            /** @description Storage is not available */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "storage_unavailable";
                    };
                };
            };
            /** @description Runtime did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: number;
                        message: string;
                        /** @enum {string} */
                        code: "runtime_timeout";
                    };
                };
            };
        };
    };
}
