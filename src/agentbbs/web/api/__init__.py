"""The API under /api/v1: operations as data, and the routes and the OpenAPI document made from them."""
