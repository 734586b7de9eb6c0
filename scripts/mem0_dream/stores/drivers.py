"""The packages that mem0's vector stores and embedders need, by the names that a config gives them."""

from __future__ import annotations

VECTOR_STORES = {
    "azure_ai_search": "azure-search-documents azure-identity",
    "azure_mysql": "pymysql dbutils azure-identity",
    "baidu": "pymochow",
    "cassandra": "cassandra-driver",
    "chroma": "chromadb",
    "databricks": "databricks-sdk",
    "elasticsearch": "elasticsearch",
    "faiss": "faiss-cpu",
    "langchain": "langchain-community",
    "milvus": "pymilvus",
    "mongodb": "pymongo",
    "neptune": "langchain-aws",
    "opensearch": "opensearch-py",
    "oracledb": "oracledb",
    "pgvector": "psycopg[binary,pool]",
    "pinecone": "pinecone pinecone-text",
    "qdrant": "qdrant-client",
    "redis": "redis redisvl",
    "s3_vectors": "boto3",
    "supabase": "vecs SQLAlchemy<2.1",  # vecs writes SQL that SQLAlchemy 2.1 sends otherwise
    "turbopuffer": "turbopuffer",
    "upstash_vector": "upstash-vector",
    "valkey": "valkey",
    "vertex_ai_vector_search": "google-cloud-aiplatform",
    "weaviate": "weaviate-client",
}
EMBEDDERS = {
    "aws_bedrock": "boto3",
    "azure_openai": "openai azure-identity",
    "fastembed": "fastembed",
    "gemini": "google-genai",
    "huggingface": "sentence-transformers",
    "langchain": "langchain",
    "lmstudio": "openai",
    "ollama": "ollama",
    "openai": "openai",
    "together": "together",
    "vertexai": "google-cloud-aiplatform",
}


def command(provider: str, table: dict[str, str]) -> str:
    """What to install for a provider, as a command's arguments; mem0's own name for one that is not listed."""
    return " ".join(f'"{package}"' for package in table.get(provider, provider).split())
